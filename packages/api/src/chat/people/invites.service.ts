import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { hashCredential } from "../../credential-hash.ts";
import { callOrRefuse } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import type { Vault } from "../../vault.ts";
import { ownReadableRoom, ownRoom } from "../access/own-room.ts";
import type { RoomName } from "../rows/room-key.ts";

/** The vault's purpose of invites. They are bound to the id of their room. */
export const INVITE_PURPOSE = "room-invite";
const INVITE_BYTES = 24;

const openInvite = (vault: Vault, roomId: number, sealed: string): string =>
  vault.open(INVITE_PURPOSE, String(roomId), sealed);

/** Returns an invite with the link that opens it. */
const withUrl = ({ hub }: CallContext, invite: string) => ({
  invite,
  url: `${hub.config.baseUrl}/join/${invite}`,
});

/**
 * Creates an invite to the caller's private room: POST /api/room-invites (decisions §5, Invites).
 * @throws HubError those of ownRoom; `invalid_input` for a public room; `limit_reached` if 20
 *   invites are open
 */
export async function createInvite(
  ctx: AccountContext,
  { uses, days, ...name }: RoomName & { uses: number; days: number },
) {
  const { record } = await ownRoom(ctx, name);
  if (!record.is_private) {
    throw new HubError("invalid_input", {
      message: "A public room needs no invite. Its link admits everyone.",
    });
  }
  const invite = randomBytes(INVITE_BYTES).toString("base64url");
  const { expires } = await callOrRefuse<{ expires: string }>(ctx.db, "add_invite", {
    of_room: record.id,
    of_hash: hashCredential(invite),
    of_sealed: ctx.hub.vault.seal(INVITE_PURPOSE, String(record.id), invite),
    of_uses: uses,
    of_days: days,
  });
  return { ...withUrl(ctx, invite), uses, used: 0, expires_at: expires };
}

/**
 * How POST /api/room-invites answers a repeated Idempotency-Key. The invite grants access, so only
 * its hash is stored with the key.
 */
export const presentInvite = {
  keep({ invite, url: _, ...kept }: { invite?: string; url?: string }) {
    return { ...kept, invite_hash: hashCredential(invite ?? "") };
  },

  /** @throws HubError `invite_not_found` if the invite was withdrawn meanwhile */
  async restore(
    ctx: CallContext,
    _input: unknown,
    { invite_hash, ...kept }: { invite_hash?: string },
  ) {
    const stored = await ctx.db
      .selectFrom("room_invites")
      .select(["room_id", "invite_sealed"])
      .where("invite_hash", "=", invite_hash ?? "")
      .executeTakeFirstOrThrow(() => new HubError("invite_not_found"));
    const invite = openInvite(ctx.hub.vault, stored.room_id, stored.invite_sealed);
    return { ...withUrl(ctx, invite), ...kept };
  },
};

/**
 * Lists the open invites to the caller's room, newest first: GET /api/room-invites.
 * @throws HubError as ownRoom
 */
export async function listInvites(ctx: AccountContext, name: RoomName) {
  const { record } = await ownReadableRoom(ctx, name);
  const rows = await ctx.db
    .selectFrom("room_invites")
    .select(["invite_sealed", "uses", "used", "expires_at", "created_at"])
    .where("room_id", "=", record.id)
    .whereRef("used", "<", "uses")
    .where("expires_at", ">", sql<string>`hub_now()`)
    .orderBy("id", "desc")
    .execute();
  return rows.map(({ invite_sealed, ...row }) => ({
    ...withUrl(ctx, openInvite(ctx.hub.vault, record.id, invite_sealed)),
    ...row,
  }));
}

/**
 * Withdraws an invite to the caller's room: DELETE /api/room-invites. Those who joined with it stay
 * members.
 * @throws HubError `invite_not_found`; `not_owner`
 */
export async function deleteInvite(ctx: AccountContext, { invite }: { invite: string }) {
  const found = await ctx.db
    .selectFrom("room_invites")
    .innerJoin("chat_rooms", "chat_rooms.id", "room_invites.room_id")
    .select(["room_invites.id", "chat_rooms.owner"])
    .where("invite_hash", "=", hashCredential(invite))
    .executeTakeFirstOrThrow(() => new HubError("invite_not_found"));
  if (found.owner !== participantId(ctx.caller)) {
    throw new HubError("not_owner", {
      message: "Only the owner of the conversation can withdraw its invites.",
    });
  }
  await ctx.db.deleteFrom("room_invites").where("id", "=", found.id).execute();
  return { message: "The invite is withdrawn." };
}
