import { participantId } from "../accounts/caller.ts";
import type { AccountContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { HubError } from "../errors.ts";
import { mayUse } from "../souls/soul-access.ts";
import { openSessionToken } from "./room-key.ts";

/** Latest first (decisions §2). */
const MAX_CHATS = 200;
/** Contracts that one answer asks the chain about: nobody chats behind more gates, but to tire it. */
const MAX_GATES = 20;

/**
 * The rooms that the caller owns or has written in and may still enter: private rooms of others
 * and souls that they no longer see or may no longer use are left out, and rooms without a message
 * (decisions §5). Where the chain can't say, the rooms behind that gate are left out and counted;
 * so is a room whose token can't be opened any more.
 */
export async function listMyChats(ctx: AccountContext) {
  const gates = new Map<string, Gate>();
  let unchecked_count = 0;
  for (;;) {
    const closed = [...gates].flatMap(([contract, gate]) => (gate === "open" ? [] : contract));
    const rooms = await readRooms(ctx, closed);
    const unasked = new Set(rooms.flatMap(({ gate }) => (gate && !gates.has(gate) ? gate : [])));
    if (unasked.size === 0) {
      const sessions = rooms.flatMap((room) => session(ctx, room) ?? []);
      return { sessions, unchecked_count: unchecked_count + rooms.length - sessions.length };
    }
    await Promise.all(
      [...unasked].map(async (contract, nth) => {
        const isTooMany = gates.size + nth >= MAX_GATES;
        gates.set(contract, isTooMany ? "unchecked" : await askGate(ctx, contract));
      }),
    );
    unchecked_count += rooms.filter(({ gate }) => gates.get(gate ?? "") === "unchecked").length;
  }
}

type Gate = "open" | "closed" | "unchecked";

async function askGate(ctx: AccountContext, nft_contract: string): Promise<Gate> {
  try {
    return (await mayUse(ctx, { user_id: 0, nft_contract })) ? "open" : "closed";
  } catch (error) {
    // One soul's gate must not take away the list of all the others.
    if (error instanceof HubError && error.code === "chain_unavailable") return "unchecked";
    throw error;
  }
}

type Room = Awaited<ReturnType<typeof readRooms>>[number];

function session(ctx: AccountContext, room: Room) {
  const { soul_id, soul_title, summary, is_private, owner, updated_at } = room;
  const session_token = tokenOf(ctx, room);
  if (session_token === null) return null;
  return {
    session_token,
    soul_id,
    soul_title,
    is_private,
    is_owner: owner === participantId(ctx.caller),
    summary: summary ?? "",
    last_updated: utcText(updated_at),
  };
}

/** Null where it can't be opened: one room must not take away the list of all the others. */
function tokenOf({ hub }: AccountContext, { id, soul_id, token_sealed }: Room): string | null {
  try {
    return openSessionToken(hub.vault, soul_id, token_sealed);
  } catch (error) {
    hub.log.error({ err: error, room_id: id }, "a stored session token can't be opened");
    return null;
  }
}

/** @param closed the contracts whose rooms are left out. `gate` is null where the caller is the soul's owner. */
async function readRooms({ db, caller }: AccountContext, closed: string[]) {
  const me = participantId(caller);
  return (
    db
      .selectFrom("chat_rooms")
      .innerJoin("souls", "souls.id", "chat_rooms.soul_id")
      .select([
        "chat_rooms.id",
        "chat_rooms.soul_id",
        "souls.title as soul_title",
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
      // Two look-ups by index; an "or" between them would read every room there is.
      .where("chat_rooms.id", "in", (eb) =>
        eb
          .selectFrom("chat_rooms as owned")
          .select("owned.id")
          .where("owned.owner", "=", me)
          .union(eb.selectFrom("chat_messages").select("room_id as id").where("sender", "=", me)),
      )
      .where("head_id", ">", 0)
      .where((eb) => eb.or([eb("is_private", "=", false), eb("owner", "=", me)]))
      .where((eb) =>
        eb.or([eb("souls.is_public", "=", 1), eb("souls.user_id", "=", caller.account.id)]),
      )
      .$if(closed.length > 0, (rooms) =>
        rooms.where((eb) =>
          eb.or([
            eb("souls.nft_contract", "is", null),
            eb("souls.nft_contract", "not in", closed),
            eb("souls.user_id", "=", caller.account.id),
          ]),
        ),
      )
      .orderBy("chat_rooms.updated_at", "desc")
      .orderBy("chat_rooms.id", "desc")
      .limit(MAX_CHATS)
      .execute()
  );
}
