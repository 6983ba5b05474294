import { z } from "zod";
import { field, message, utcTime } from "../../fields.schema.ts";
import { keyHolder, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName } from "../chat.schema.ts";
import { createInvite, deleteInvite, listInvites, presentInvite } from "./invites.service.ts";
import { joinRoom } from "./join-room.service.ts";

const uses = field(z.int().min(1).max(50), 5, "Number of accounts that may join.");
const givenInvite = field(z.string().max(200), "Zm9yIGFuIGV4YW1wbGUgb25seS4gTm8gcm9vbQ");

const newInvite = z.object({
  invite: field(z.string(), "Zm9yIGFuIGV4YW1wbGUgb25seS4gTm8gcm9vbQ", "For POST /api/room-join."),
  url: field(
    z.string(),
    "https://soulhub.example/join/Zm9yIGFuIGV4YW1wbGUgb25seS4gTm8gcm9vbQ",
    "The link that opens the invite.",
  ),
  uses,
  used: field(z.int().min(0), 0, "Number of accounts that have joined with the invite."),
  expires_at: utcTime,
});

/** The endpoints of invites to private rooms (decisions §5, Invites). */
export const roomInvitesRouter = router({
  invites: keyHolder("chat")
    .meta({
      rest: "GET /room-invites",
      summary: "List the open invites to your private room",
      description: "For the room's owner. Expired and used up invites are left out.",
      failures: [...roomFailures, "not_owner"],
    })
    .input(z.object(roomName))
    .output(z.object({ data: z.array(newInvite.extend({ created_at: utcTime })) }))
    .query(async ({ ctx, input }) => ({ data: await listInvites(ctx, input) })),

  invite: keyHolder("chat")
    .meta({
      rest: "POST /room-invites",
      writes: true,
      idempotent: true,
      replay: presentInvite,
      summary: "Create an invite to your private room",
      description:
        "For the room's owner. An account that joins with the invite becomes a member and may enter the room. A room has at most 20 open invites (`limit_reached`). A public room has none: its link admits everyone.",
      failures: [...roomFailures, "not_owner", "limit_reached", "invite_not_found"],
    })
    .input(
      z.object({
        ...roomName,
        uses,
        days: field(z.int().min(1).max(30), 7, "Days until it ends."),
      }),
    )
    .output(newInvite)
    .mutation(({ ctx, input }) => createInvite(ctx, input)),

  uninvite: keyHolder("chat")
    .meta({
      rest: "DELETE /room-invites",
      summary: "Withdraw an invite to your private room",
      description: "For the room's owner. Accounts that joined with the invite stay members.",
      failures: ["invite_not_found", "not_owner"],
    })
    .input(z.object({ invite: givenInvite }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => deleteInvite(ctx, input)),

  join: keyHolder("chat")
    .meta({
      rest: "POST /room-join",
      summary: "Join a private room with an invite",
      description:
        "You become a member of the room and may enter it. Its soul's visibility and NFT gate still apply. To join again uses up nothing.",
      failures: [
        "invite_not_found",
        "banned",
        "blocked",
        "private_session",
        "soul_not_found",
        "nft_required",
        "chain_unavailable",
      ],
    })
    .input(z.object({ invite: givenInvite }))
    .output(z.object(roomName))
    .mutation(({ ctx, input }) => joinRoom(ctx, input)),
});
