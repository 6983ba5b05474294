import { z } from "zod";
import { givenUsername } from "../../accounts/accounts.schema.ts";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { keyHolder, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { participant, roomName } from "../chat.schema.ts";
import { listPeople } from "./list-people.service.ts";
import { setPerson } from "./set-person.service.ts";

const MAX_MINUTES = 366 * 24 * 60;

const personState = field(
  z.enum(["member", "muted", "banned", "none"]),
  "muted",
  "`member`: may enter the private room. `muted`: may read, not talk. `banned`: may not enter.",
);

const personToken = field(
  z.string().max(1_000),
  "v1.k1.ZXhhbXBsZQ.bm90IGEgcmVhbCBwZXJzb24",
  "Names the person in this room. It stays the same until the person's name changes.",
);

const roomPerson = participant.extend({
  person: personToken,
  state: personState,
  is_member: field(z.boolean(), false, "True for a member, also while muted."),
  until: utcTime.nullable().describe("The end of the restriction; null without one."),
  is_owner: field(z.boolean(), false, "True for you."),
  is_present: field(z.boolean(), true, "True if the person is in the room now."),
  since_id: field(
    z.int().min(0).nullable(),
    409,
    "Id of the newest message when the person joined; null if absent.",
  ),
  last_id: field(id.nullable(), 411, "Id of the person's newest message; null without one."),
});

/** The endpoints with which the owner of a room moderates it (decisions §5, Moderation). */
export const roomPeopleRouter = router({
  people: keyHolder("chat")
    .meta({
      rest: "GET /room-people",
      summary: "List the people of your room",
      description:
        "For the room's owner. Members and restricted people come first, then the senders of the newest 10,000 messages, then others who are present; at most 500.",
      failures: [...roomFailures, "not_owner"],
    })
    .input(z.object(roomName))
    .output(z.object({ data: z.array(roomPerson) }))
    .query(async ({ ctx, input }) => ({ data: await listPeople(ctx, input) })),

  setPerson: keyHolder("chat")
    .meta({
      rest: "PUT /room-people",
      summary: "Mute, ban or admit a person in your room",
      description:
        "For the room's owner. Name the person by `message_id` (the sender of a message), `username` or `person`, exactly one of them. A banned person loses its membership and all access at once; an invite does not lift the ban. A muted member stays a member. `none` ends restriction and membership.\n\nA guest with a new cookie is another person. To keep guests from talking, set the room's `talk` to `members`.",
      failures: [...roomFailures, "not_owner", "message_not_found", "user_not_found"],
      body: {
        soul_id: 1,
        session_token: "3f9a52c1e0b84d7795c1b6f0a2d4e8f1",
        message_id: 411,
        state: "muted",
        minutes: 60,
      },
    })
    .input(
      z
        .object({
          ...roomName,
          message_id: field(id.optional(), 411, "A message of the person."),
          username: givenUsername.optional(),
          person: personToken.optional(),
          state: personState,
          minutes: field(
            z.int().min(1).max(MAX_MINUTES).optional(),
            60,
            "Only with `muted` and `banned`. Without it the restriction has no end.",
          ),
        })
        .refine(namesOnePerson, {
          path: ["person"],
          message: "name the person by exactly one of message_id, username and person",
        })
        .refine(({ state, minutes }) => minutes === undefined || hasEnd.has(state), {
          path: ["minutes"],
          message: "goes with muted and banned only",
        }),
    )
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => setPerson(ctx, input)),
});

const hasEnd: ReadonlySet<z.infer<typeof personState>> = new Set(["muted", "banned"]);

function namesOnePerson(names: {
  message_id?: number | undefined;
  username?: string | undefined;
  person?: string | undefined;
}): boolean {
  const { message_id, username, person } = names;
  return [message_id, username, person].filter((name) => name !== undefined).length === 1;
}
