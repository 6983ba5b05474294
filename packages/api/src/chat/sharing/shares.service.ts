import { randomBytes } from "node:crypto";
import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { ownReadableRoom, ownRoom } from "../access/own-room.ts";
import { type RoomName, roomKey, splitRoomKey } from "../rows/room-key.ts";
import { sharedEnd } from "./shared-path.ts";

/** Maximum number of shares of a room (0042). */
const MAX_SHARES = 20;
/** 128 bits, so that no link can be guessed. */
const ID_BYTES = 16;

interface NewShare extends RoomName {
  /** Id of the last shared message; the end of the room's path if omitted. */
  to_id?: number | undefined;
  /** True to show the names of the participants. */
  names: boolean;
}

/**
 * Shares the path of the caller's room up to a message: POST /api/shares (0042).
 * @throws HubError those of authorizeRoom, `not_owner`, those of sharedEnd, `limit_reached`
 */
export async function createShare(ctx: AccountContext, { to_id, names, ...name }: NewShare) {
  const roomId = (await ownRoom(ctx, name, NOT_OWNER)).record.id;
  const id = randomBytes(ID_BYTES).toString("base64url");
  await ctx.db.transaction().execute(async (tx) => {
    const end = await sharedEnd(tx, roomId, to_id);
    const { count } = await tx
      .selectFrom("room_shares")
      .where("room_id", "=", roomId)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    if (count >= MAX_SHARES) throw new HubError("limit_reached", { message: TOO_MANY });
    await tx
      .insertInto("room_shares")
      .values({ id, room_id: roomId, to_id: end, with_names: names })
      .execute();
  });
  return { share_id: id, url: urlOf(ctx, id) };
}

/**
 * How POST /api/shares answers a repeated Idempotency-Key: a link that is revoked is not given again.
 */
export const presentShare = {
  keep: (share: object) => share,

  /** @throws HubError `share_not_found` if the share was revoked meanwhile */
  async restore({ db }: CallContext, _input: unknown, kept: { share_id?: string }) {
    const { share_id = "" } = kept;
    await db
      .selectFrom("room_shares")
      .select("id")
      .where("id", "=", share_id)
      .executeTakeFirstOrThrow(() => new HubError("share_not_found"));
    return kept;
  },
};

/**
 * Lists the shares of the caller's room, the oldest first: GET /api/shares. The owner sees them
 * although it may no longer use the room's soul, since it may revoke them.
 * @throws HubError those of authorizeRoom, `not_owner`
 */
export async function listShares(ctx: AccountContext, name: RoomName) {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const room = await ctx.db
    .selectFrom("chat_rooms")
    .select("id")
    .where("soul_id", "=", soulId)
    .where("token_hash", "=", tokenHash)
    .where("owner", "=", participantId(ctx.caller))
    .executeTakeFirst();
  const rows = await ctx.db
    .selectFrom("room_shares")
    .select(["id", "to_id", "with_names", "created_at"])
    .where("room_id", "=", room?.id ?? (await ownReadableRoom(ctx, name, NOT_OWNER)).record.id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, to_id, with_names, created_at }) => ({
    share_id: id,
    url: urlOf(ctx, id),
    to_id,
    names: with_names,
    created_at,
  }));
}

/**
 * Revokes a share: DELETE /api/shares. The owner may revoke it although it may no longer use the
 * room's soul.
 * @throws HubError `share_not_found`, also for a share that is revoked; `not_owner`
 */
export async function removeShare({ db, caller }: AccountContext, id: string) {
  const removed = await db
    .deleteFrom("room_shares")
    .where("id", "=", id)
    .where("room_id", "in", (eb) =>
      eb
        .selectFrom("chat_rooms")
        .select("chat_rooms.id")
        .where("owner", "=", participantId(caller)),
    )
    .returning("id")
    .executeTakeFirst();
  if (removed) return { message: "The conversation is no longer shared by this link." };
  const known = await db.selectFrom("room_shares").select("id").where("id", "=", id).execute();
  if (known.length === 0) throw new HubError("share_not_found");
  throw new HubError("not_owner", { message: NOT_OWNER });
}

const urlOf = ({ hub }: AccountContext, id: string): string => `${hub.config.baseUrl}/share/${id}`;

const NOT_OWNER = "Only the owner of this conversation can share it.";
const TOO_MANY = `A conversation can have at most ${MAX_SHARES} shares.`;
