import { z } from "zod";
import { countGuestRooms, guestRooms } from "../../accounts/guests/guest-rooms.ts";
import { field, message } from "../../fields.schema.ts";
import { member, open, router } from "../../trpc/trpc.ts";
import { claimGuest } from "./claim-guest.service.ts";

/** The endpoints with which an account takes along the conversations of its browser (0077). */
export const claimGuestRouter = router({
  claimGuest: member("main")
    .meta({
      rest: "POST /claim-guest",
      summary: "Take along the conversations of your browser's guest",
      description:
        "Moves the rooms in which the guest of the cookie wrote in the last 7 days to your account, once: ownership, messages, reactions and restrictions. Messages keep the name that they were sent with. Without a valid guest cookie, and at a second call, nothing moves and `rooms` is 0.",
      setsCookie: "A new `soulhub_guest` in place of the one that was sent.",
    })
    .output(
      z.object({
        message: field(message, "2 conversations are yours now."),
        rooms: field(z.int().min(0), 2, "The number of moved conversations."),
      }),
    )
    .mutation(({ ctx }) => claimGuest(ctx)),

  /** Tells the page before it creates an account what the account could take along. */
  guestRooms: open("public")
    .output(z.object(guestRooms))
    .query(({ ctx }) => countGuestRooms(ctx)),
});
