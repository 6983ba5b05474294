import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { ownReadableRoom } from "../access/own-room.ts";
import { COPIED, DELETED } from "../chat-message.entity.ts";
import type { RoomName } from "../rows/room-key.ts";
import { sealPerson } from "./person-token.ts";

/** Number of the newest messages whose senders are listed (decisions §5, Moderation). */
const LINES = 10_000;
const MAX_PEOPLE = 500;

interface PersonRow {
  participant: string;
  name: string;
  /** Id of the participant's newest message; null if it has sent none. */
  last_id: number | null;
  is_member: boolean;
  restriction: "muted" | "banned" | null;
  /** End of the restriction; null means no end. */
  until: string | null;
}

/**
 * Lists the people of the caller's room: everyone with a membership or restriction, then those who
 * wrote, have read the room or are present: GET /api/room-people (decisions §5, Moderation).
 * @throws HubError as ownRoom
 */
export async function listPeople(ctx: AccountContext, name: RoomName) {
  const { key, record } = await ownReadableRoom(ctx, name);
  const { vault, rooms } = ctx.hub;
  const [stored, present] = await Promise.all([readPeople(ctx.db, record.id), rooms.present(key)]);
  const known = new Set(stored.map(({ participant }) => participant));
  const others = [...present.values()].filter(({ id }) => !known.has(id));
  const newcomers = others.map(({ id, name }) => ({ ...untouched, participant: id, name }));
  return [...stored, ...newcomers].slice(0, MAX_PEOPLE).map((row) => {
    const { participant, name, is_member, until, last_id } = row;
    const here = present.get(participant);
    return {
      person: sealPerson(vault, key, { id: participant, name }),
      name: here?.name ?? name,
      kind: participant.startsWith("guest:") ? ("guest" as const) : ("member" as const),
      state: row.restriction ?? (is_member ? ("member" as const) : ("none" as const)),
      is_member,
      until,
      is_owner: participant === record.owner,
      is_present: here !== undefined,
      since_id: here?.since_id ?? null,
      last_id,
    };
  });
}

/** A participant without messages and without a row in `room_people`. */
const untouched = { last_id: null, is_member: false, restriction: null, until: null };

async function readPeople(db: Db, roomId: number): Promise<PersonRow[]> {
  const { rows } = await sql<PersonRow>`
    with line as (
      select id, sender, sender_name from chat_messages
      where room_id = ${roomId} order by id desc limit ${LINES}),
    wrote as (
      select sender as participant, max(id) as last_id,
        (array_agg(sender_name order by id desc))[1] as name
      from line where sender <> 'soul' and not starts_with(sender, ${COPIED})
        and not starts_with(sender, ${DELETED}) group by sender),
    person as (
      select *, restriction is not null
        and (restricted_until is null or restricted_until > hub_now()) as is_restricted
      from room_people where room_id = ${roomId})
    select participant, coalesce(wrote.name, person.name) as name, last_id,
      coalesce(is_member, false) as is_member,
      case when is_restricted then restriction end as restriction,
      case when is_restricted then restricted_until end as until
    from wrote full join person using (participant)
    order by coalesce(is_restricted or is_member, false) desc, last_id desc nulls last, participant
    limit ${MAX_PEOPLE}`.execute(db);
  return rows;
}
