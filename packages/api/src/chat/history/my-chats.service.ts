import type { AccountContext } from "../../accounts/caller.ts";
import { participantId } from "../../accounts/caller.ts";
import { HubError } from "../../errors.ts";
import { mayUse } from "../../souls/soul-access.ts";
import { openSessionToken } from "../access/room-key.ts";

/** Maximum number of listed rooms (decisions §2). */
const MAX_CHATS = 200;
/** Maximum number of NFT contracts that one call checks on the chain, to bound its cost. */
const MAX_GATES = 20;

/**
 * Lists the rooms that the caller owns or has written in and may still enter (decisions §5). Rooms
 * without a message are left out. `unchecked_count` counts further omitted rooms: their NFT gate
 * cannot be checked, or their session token cannot be decrypted.
 */
export async function listMyChats(ctx: AccountContext) {
  const gates = new Map<string, Gate>();
  let unchecked_count = 0;
  for (;;) {
    const excluded = [...gates].flatMap(([contract, gate]) => (gate === "open" ? [] : contract));
    const rooms = await readRooms(ctx, excluded);
    const unknown = new Set(rooms.flatMap(({ gate }) => (gate && !gates.has(gate) ? gate : [])));
    if (unknown.size === 0) {
      const sessions = rooms.flatMap((room) => session(ctx, room) ?? []);
      return { sessions, unchecked_count: unchecked_count + rooms.length - sessions.length };
    }
    await Promise.all(
      [...unknown].map(async (contract, nth) => {
        const isTooMany = gates.size + nth >= MAX_GATES;
        gates.set(contract, isTooMany ? "unchecked" : await checkGate(ctx, contract));
      }),
    );
    unchecked_count += rooms.filter(({ gate }) => gates.get(gate ?? "") === "unchecked").length;
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
    last_updated: updated_at,
  };
}

/** Returns null if decryption fails: one room must not fail the whole list. */
function tokenOf({ hub }: AccountContext, { id, soul_id, token_sealed }: Room): string | null {
  try {
    return openSessionToken(hub.vault, soul_id, token_sealed);
  } catch (error) {
    hub.log.error({ err: error, room_id: id }, "a stored session token cannot be decrypted");
    return null;
  }
}

/**
 * @param excluded contracts whose rooms are left out
 * @returns rooms; `gate` is null if the caller owns the soul
 */
async function readRooms({ db, caller }: AccountContext, excluded: string[]) {
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
      // A union of two index scans; an `or` would scan the whole table.
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
      .limit(MAX_CHATS)
      .execute()
  );
}
