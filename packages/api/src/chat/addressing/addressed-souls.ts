import { mentionedSouls } from "@soul-hub/soul-names";
import type { CallContext } from "../../context.ts";
import { HubError, invalidField } from "../../errors.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { usableSoul } from "../../souls/soul-access.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import type { RememberedRoom } from "../prompt/room-memory.queries.ts";
import { type ReplyingSoul, replyingSoul } from "../provenance/replying-soul.ts";
import { mayBeGuest } from "./guest-souls.ts";

/** A soul that is asked for a reply. */
export interface AddressedSoul {
  /** Its present title, under which the reply is stored. */
  title: string;
  /** The version that replies. */
  soul: ReplyingSoul;
}

interface Address {
  /** Ids of the souls that the caller asks, in this order. */
  to?: readonly number[] | undefined;
  /** The version of the one soul that replies. */
  version?: number | undefined;
  /** The message, whose mentions address souls. */
  content: string;
  /** True for another reply to an earlier question. Without an address, the room's own soul replies. */
  isRegeneration: boolean;
}

/**
 * Returns the souls that reply to a message, in the order of their replies (0041): those of `to`,
 * else the mentioned ones, else by the room's mode `answers` its own soul or none.
 * @throws HubError `soul_not_found` if `to` names a soul that is not in the room; `invalid_input`
 *   for a version of several souls; `version_not_found`, `version_withdrawn`
 */
export async function addressedSouls(
  ctx: CallContext,
  room: AuthorizedRoom<RememberedRoom>,
  { to, version, content, isRegeneration }: Address,
): Promise<AddressedSoul[]> {
  const members = await readMembers(ctx, room);
  const asked = to ? named(members, to) : mentioned(members, content);
  const answersAlways = isRegeneration || room.record?.answers !== "addressed";
  const chosen = asked.length > 0 ? asked : answersAlways ? members.slice(0, 1) : [];
  if (chosen.length > 1 && version !== undefined) {
    throw invalidField("version", "cannot be combined with several souls");
  }
  return Promise.all(chosen.map((member) => addressed(ctx, member, version)));
}

/**
 * Reads a soul again whose turn comes after other replies. Meanwhile it may have been withdrawn or
 * taken out of the room, or have another version.
 * @param souls the room's present souls; null means the host alone
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `version_not_found`,
 *   `version_withdrawn`
 */
export async function readdressed(
  ctx: CallContext,
  hostId: number,
  souls: readonly RoomSoul[] | null,
  soulId: number,
): Promise<AddressedSoul> {
  const inRoom = souls?.find(({ soul_id }) => soul_id === soulId);
  const isHost = soulId === hostId;
  const record = isHost ? await usableSoul(ctx, soulId) : await ctx.hub.souls.byId(soulId);
  if (!record || (!isHost && !(inRoom && mayBeGuest(record)))) {
    throw new HubError("soul_not_found");
  }
  return addressed(ctx, { record, inRoom }, undefined);
}

/** A soul of a room, with its present state. */
interface Member {
  record: SoulRecord;
  /** Undefined in a room whose row names no souls. */
  inRoom: RoomSoul | undefined;
}

/** Reads a room's souls, its own first. A guest that was withdrawn leaves the room. */
async function readMembers(
  { hub }: CallContext,
  { soul, record }: AuthorizedRoom<RememberedRoom>,
): Promise<Member[]> {
  const host = { record: soul, inRoom: record?.souls?.[0] };
  const guests = await Promise.all(
    (record?.souls ?? [])
      .slice(1)
      .map(async (inRoom) => ({ guest: await hub.souls.byId(inRoom.soul_id), inRoom })),
  );
  const present = guests.flatMap(({ guest, inRoom }): Member[] => {
    if (guest && mayBeGuest(guest)) return [{ record: guest, inRoom }];
    hub.inBackground("dropping a guest soul", hub.dropGuestSoul(inRoom.soul_id));
    return [];
  });
  return [host, ...present];
}

function named(members: readonly Member[], ids: readonly number[]): Member[] {
  return [...new Set(ids)].map((id) => {
    const member = members.find(({ record }) => record.id === id);
    if (member) return member;
    throw new HubError("soul_not_found", { message: `This conversation has no soul ${id}.` });
  });
}

function mentioned(members: readonly Member[], content: string): Member[] {
  const souls = members.map((member) => {
    return { member, title: member.record.title, handle: member.inRoom?.handle };
  });
  return mentionedSouls(content, souls).map(({ member }) => member);
}

const addressed = async (
  ctx: CallContext,
  { record, inRoom }: Member,
  version: number | undefined,
): Promise<AddressedSoul> => ({
  title: record.title,
  soul: await replyingSoul(ctx, record, inRoom, version),
});
