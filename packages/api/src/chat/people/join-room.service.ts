import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { hashCredential } from "../../credential-hash.ts";
import { callOrRefuse } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import { usableSoul } from "../../souls/soul-access.ts";
import { openSessionToken, type RoomName } from "../rows/room-key.ts";

/**
 * Makes the caller a member of the private room of an invite: POST /api/room-join (decisions §5,
 * Invites). The caller must be allowed to use the soul. A member that joins again uses up nothing.
 * @throws HubError `invite_not_found`, `banned`, `blocked`, `private_session` while the
 *   owner's account is being deleted, `soul_not_found`, `nft_required`, `chain_unavailable`
 */
export async function joinRoom(
  ctx: AccountContext,
  { invite }: { invite: string },
): Promise<RoomName> {
  const invite_hash = hashCredential(invite);
  const room = await ctx.db
    .selectFrom("room_invites")
    .innerJoin("chat_rooms", "chat_rooms.id", "room_invites.room_id")
    .select(["chat_rooms.soul_id", "chat_rooms.token_sealed"])
    .where("invite_hash", "=", invite_hash)
    .executeTakeFirstOrThrow(() => new HubError("invite_not_found"));
  await usableSoul(ctx, room.soul_id);
  await callOrRefuse(ctx.db, "join_room", {
    of_invite: invite_hash,
    of_participant: participantId(ctx.caller),
    of_name: ctx.caller.account.username,
  });
  const session_token = openSessionToken(ctx.hub.vault, room.soul_id, room.token_sealed);
  return { soul_id: room.soul_id, session_token };
}
