import { type Expression, type SqlBool, sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { mayRead } from "../../caller/own-data.ts";
import { hiddenByStaff } from "../../souls/holds/hidden-by-staff.ts";
import { openSessionToken } from "../rows/room-key.ts";

/** Maximum number of listed rooms (decisions §2). */
const MAX_ROOMS = 200;

/** A room of the caller, with the session token in clear. */
export interface MyRoom extends Omit<RoomRow, "token_sealed" | "is_own_private"> {
  session_token: string;
}

interface MyRooms {
  rooms: MyRoom[];
  /**
   * The number of rooms left out: their token could not be read, or their soul is the caller's
   * private one and a named key lacks the scope.
   */
  unchecked: number;
  /** True if the caller has more rooms than the maximum. */
  hasMore: boolean;
}

interface WantedRooms {
  /** The maximum number of rooms. */
  atMost?: number;
  /** True to include the rooms of souls that the hub's staff hide. */
  withHidden?: boolean;
  /** True to leave out rooms that the caller has hidden, if nothing was written there since (0042). */
  isList?: boolean;
}

/**
 * Reads the rooms that the caller owns, has written in or is a member of, and may still enter, the
 * latest first (decisions §5). One's own room needs no soul (0076). Rooms without a message are left
 * out.
 */
export async function readMyRooms(
  ctx: AccountContext,
  { atMost = MAX_ROOMS, withHidden = false, isList = false }: WantedRooms = {},
): Promise<MyRooms> {
  const found = await selectMyRooms(ctx, { atMost, withHidden, isList });
  const listed = found.slice(0, atMost);
  const rooms = listed.flatMap((row) => toMyRoom(ctx, row) ?? []);
  return {
    rooms,
    unchecked: listed.length - rooms.length,
    hasMore: found.length > listed.length,
  };
}

/**
 * Returns null for a room of a private soul that the caller may not read, and if decryption fails:
 * one room must not fail the whole list.
 */
function toMyRoom({ hub, caller }: AccountContext, row: RoomRow): MyRoom | null {
  const { token_sealed, is_own_private, ...room } = row;
  if (is_own_private && !mayRead(caller, "souls")) return null;
  try {
    return { ...room, session_token: openSessionToken(hub.vault, room.soul_id, token_sealed) };
  } catch (error) {
    hub.log.error({ err: error, room_id: room.id }, "a stored session token cannot be decrypted");
    return null;
  }
}

/**
 * The condition on a row of `chat_rooms` that an account may enter the room, apart from the room's
 * soul. `person` is the account's row of `room_people`, if it has one.
 */
export const mayEnter = (participant: string): Expression<SqlBool> => sql<SqlBool>`(
  (chat_rooms.owner = ${participant}
    or not chat_rooms.is_closed and (not chat_rooms.is_private or person.is_member))
  and (person.restriction is distinct from 'banned' or person.restricted_until <= hub_now())
  and owner_refusal(chat_rooms.owner, ${participant}) is null)`;

type RoomRow = Awaited<ReturnType<typeof selectMyRooms>>[number];

/** @returns at most one room more than are listed */
async function selectMyRooms(
  { db, caller }: AccountContext,
  { atMost, withHidden, isList }: Required<WantedRooms>,
) {
  const me = participantId(caller);
  const isAuthor = sql<SqlBool>`souls.user_id = ${caller.account.id}`;
  const isHidden = sql<boolean>`(${hiddenByStaff(sql.ref("souls.id"))} and not ${isAuthor})`;
  return (
    db
      .selectFrom("chat_rooms")
      .innerJoin("souls", "souls.id", "chat_rooms.soul_id")
      .leftJoin("room_people as person", (join) =>
        join.onRef("person.room_id", "=", "chat_rooms.id").on("person.participant", "=", me),
      )
      .select([
        "chat_rooms.id",
        "chat_rooms.soul_id",
        "token_sealed",
        "summary",
        "is_private",
        "owner",
        "chat_rooms.updated_at",
        sql<boolean>`coalesce(person.is_member, false)`.as("is_member"),
      ])
      .select(isHidden.as("is_hidden"))
      .select(sql<boolean>`(${isAuthor} and souls.is_public = 0)`.as("is_own_private"))
      .select(
        sql<string>`case when ${isAuthor} or souls.is_public = 1 then souls.title
          else public_title(souls.id) end`.as("soul_title"),
      )
      // A union of three index scans; an `or` would scan the whole table.
      .where(
        sql<SqlBool>`chat_rooms.id in (
          select id from chat_rooms where owner = ${me}
          union select room_id from chat_messages where sender = ${me}
          union select room_id from room_people where participant = ${me} and is_member)`,
      )
      .where("head_id", ">", 0)
      .where(mayEnter(me))
      .where(sql<SqlBool>`(${withHidden} or not ${isHidden})`)
      .$if(isList, (rooms) =>
        rooms.where(sql<SqlBool>`(person.hidden_to is null or person.is_member
          or head_id > person.hidden_to)`),
      )
      .orderBy("chat_rooms.updated_at", "desc")
      .orderBy("chat_rooms.id", "desc")
      .limit(atMost + 1)
      .execute()
  );
}
