import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import { ownRoom } from "../access/own-room.ts";
import { isFormer } from "../chat-message.entity.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";
import { type NamedPerson, openPerson } from "./person-token.ts";

interface WantedPerson {
  message_id?: number | undefined;
  username?: string | undefined;
  person?: string | undefined;
}

interface PersonChange extends RoomName, WantedPerson {
  state: "member" | "muted" | "banned" | "none";
  /** Minutes until the restriction ends; undefined means no end. */
  minutes?: number | undefined;
}

/**
 * Makes a person a member of the caller's room, restricts it, or ends both: PUT /api/room-people
 * (decisions §5, Moderation).
 * @throws HubError those of ownRoom; `message_not_found`; `user_not_found`; `invalid_input` for the
 *   owner, a soul's reply, a copied message, a guest as a member, or a token of another room
 */
export async function setPerson(ctx: AccountContext, { state, minutes, ...change }: PersonChange) {
  const { soul_id, session_token, ...wanted } = change;
  const { key, record } = await ownRoom(ctx, { soul_id, session_token });
  const person =
    wanted.person !== undefined
      ? openPerson(ctx.hub.vault, key, wanted.person)
      : await findPerson(ctx.db, record, wanted);
  if (person.id === record.owner) throw unsuitable(wanted, "names the owner of the room");
  if (state === "member" && person.id.startsWith("guest:")) {
    throw unsuitable(wanted, "names a guest; only accounts can be members");
  }
  await storeState(ctx.db, record, person, { state, minutes });
  // A ban and the end of a membership apply at once, also to open subscriptions and waiting polls.
  if (state === "banned" || state === "none") ctx.hub.rooms.recheck(key);
  if (state === "banned") {
    ctx.hub.rooms.cancelReplies(key, person.id);
    await ctx.hub.rooms.leave(key, person.id);
  }
  return { message: MESSAGES[state](person.name) };
}

const MESSAGES: Record<PersonChange["state"], (name: string) => string> = {
  member: (name) => `${name} is a member of this room.`,
  muted: (name) => `${name} is muted.`,
  banned: (name) => `${name} is banned.`,
  none: (name) => `${name} has no membership and no restriction.`,
};

/** Finds the sender of a message, or an account by its username. */
async function findPerson(
  db: Db,
  { id: roomId }: RoomRecord,
  wanted: WantedPerson,
): Promise<NamedPerson> {
  if (wanted.username !== undefined) {
    const account = await db
      .selectFrom("accounts")
      .select(["id", "username"])
      .where("username_key", "=", wanted.username.toLowerCase())
      .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
    return { id: `account:${account.id}`, name: account.username };
  }
  const line = await db
    .selectFrom("chat_messages")
    .select(["sender", "sender_name", "role"])
    .where("room_id", "=", roomId)
    .where("id", "=", wanted.message_id ?? 0)
    .executeTakeFirstOrThrow(() => new HubError("message_not_found"));
  if (line.role === "assistant") throw unsuitable(wanted, "names a reply of a soul");
  if (isFormer(line.sender)) throw unsuitable(wanted, "names no person of this room");
  return { id: line.sender, name: line.sender_name };
}

function unsuitable(wanted: WantedPerson, message: string): HubError {
  const field = Object.entries(wanted).find(([, value]) => value !== undefined)?.[0] ?? "";
  return invalidField(field, message);
}

async function storeState(
  db: Db,
  { id: roomId }: RoomRecord,
  { id, name }: NamedPerson,
  { state, minutes }: Pick<PersonChange, "state" | "minutes">,
): Promise<void> {
  const restriction = state === "muted" || state === "banned" ? state : null;
  // The database clock sets the end, as it later decides whether the restriction is in effect.
  const until = sql`hub_now() + make_interval(mins => ${minutes ?? null}::int)`;
  // A muted member stays a member. A new member has nothing unread. The room's lock keeps the room
  // from being deleted meanwhile. POST /api/room-join takes the same lock: otherwise a ban during a
  // join could leave the banned person a member.
  // Who has only read the room left no trace that a report could rest on (0062).
  const hasWritten = sql`exists (
    select from chat_messages where room_id = ${roomId} and sender = ${id})`;
  await sql`
    insert into room_people as known (room_id, participant, name, is_member, restriction,
        restricted_until, restricted_at, seen_to)
      select id, ${id}, ${name}, ${state === "member"}, ${restriction}, ${until},
        case when ${state === "banned"} and ${hasWritten} then hub_now() end,
        case when ${state === "member"} then head_id else 0 end
      from chat_rooms where id = ${roomId} for no key update
    on conflict (room_id, participant) do update set
      name = excluded.name,
      is_member = excluded.is_member or (known.is_member and ${state === "muted"}),
      seen_to = case when known.is_member then known.seen_to
        else greatest(known.seen_to, excluded.seen_to) end,
      restriction = excluded.restriction,
      restricted_until = excluded.restricted_until,
      restricted_at = case
        -- The person is out already, so a further ban takes no lines away.
        when known.restriction = 'banned' and (known.restricted_until is null
          or known.restricted_until > hub_now()) then known.restricted_at
        when ${state === "banned" || state === "none"} and known.is_member then hub_now()
        else coalesce(excluded.restricted_at, known.restricted_at) end`.execute(db);
}
