import { type Expression, type SqlBool, sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { mayRead } from "../../caller/own-data.ts";
import { HubError } from "../../errors.ts";
import { mayUse } from "../../souls/soul-access.ts";
import { openSessionToken } from "../rows/room-key.ts";

/** Maximum number of listed rooms (decisions §2). */
const MAX_ROOMS = 200;
/** Maximum number of NFT contracts that one call checks on the chain, to bound its cost. */
const MAX_GATES = 20;

/** A room of the caller, with the session token in clear. */
export interface MyRoom extends Omit<RoomRow, "token_sealed" | "gate" | "is_public"> {
  session_token: string;
}

interface MyRooms {
  rooms: MyRoom[];
  /**
   * The number of rooms left out: their NFT gate or their token could not be read, or their soul is
   * private and the caller lacks the scope.
   */
  unchecked: number;
  /** True if the caller has more rooms than the maximum. */
  hasMore: boolean;
}

/**
 * Reads the rooms that the caller owns, has written in or is a member of, and may still enter, the
 * latest first (decisions §5). Rooms without a message are left out.
 * @param atMost the maximum number of rooms
 */
export async function readMyRooms(ctx: AccountContext, atMost = MAX_ROOMS): Promise<MyRooms> {
  const gates = new Map<string, Gate>();
  let unchecked = 0;
  for (;;) {
    const excluded = [...gates].flatMap(([contract, gate]) => (gate === "open" ? [] : contract));
    const found = await selectMyRooms(ctx, excluded, atMost);
    const listed = found.slice(0, atMost);
    const unknown = new Set(listed.flatMap(({ gate }) => (gate && !gates.has(gate) ? gate : [])));
    if (unknown.size === 0) {
      const rooms = listed.flatMap((row) => toMyRoom(ctx, row) ?? []);
      unchecked += listed.length - rooms.length;
      return { rooms, unchecked, hasMore: found.length > listed.length };
    }
    await Promise.all(
      [...unknown].map(async (contract, nth) => {
        const isTooMany = gates.size + nth >= MAX_GATES;
        gates.set(contract, isTooMany ? "unchecked" : await checkGate(ctx, contract));
      }),
    );
    unchecked += listed.filter(({ gate }) => gates.get(gate ?? "") === "unchecked").length;
  }
}

type Gate = "open" | "closed" | "unchecked";

async function checkGate(ctx: AccountContext, nft_contract: string): Promise<Gate> {
  try {
    return (await mayUse(ctx, { user_id: 0, nft_contract })) ? "open" : "closed";
  } catch (error) {
    // One gate that cannot be checked must not fail the whole list.
    if (error instanceof HubError && error.code === "chain_unavailable") return "unchecked";
    throw error;
  }
}

/**
 * Returns null for a room of a private soul that the caller may not read, and if decryption fails:
 * one room must not fail the whole list.
 */
function toMyRoom({ hub, caller }: AccountContext, row: RoomRow): MyRoom | null {
  const { token_sealed, gate: _, is_public, ...room } = row;
  if (is_public !== 1 && !mayRead(caller, "souls")) return null;
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

/**
 * @param excluded contracts whose rooms are left out
 * @returns at most one room more than are listed; `gate` is null if the caller owns the soul
 */
async function selectMyRooms({ db, caller }: AccountContext, excluded: string[], atMost: number) {
  const me = participantId(caller);
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
        "souls.title as soul_title",
        "souls.is_public",
        "token_sealed",
        "summary",
        "is_private",
        "owner",
        "chat_rooms.updated_at",
      ])
      .select((eb) =>
        eb
          .case()
          .when("souls.user_id", "<>", caller.account.id)
          .then(eb.ref("souls.nft_contract"))
          .end()
          .as("gate"),
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
      .where((eb) =>
        eb.or([eb("souls.is_public", "=", 1), eb("souls.user_id", "=", caller.account.id)]),
      )
      .$if(excluded.length > 0, (rooms) =>
        rooms.where((eb) =>
          eb.or([
            eb("souls.nft_contract", "is", null),
            eb("souls.nft_contract", "not in", excluded),
            eb("souls.user_id", "=", caller.account.id),
          ]),
        ),
      )
      .orderBy("chat_rooms.updated_at", "desc")
      .orderBy("chat_rooms.id", "desc")
      .limit(atMost + 1)
      .execute()
  );
}
