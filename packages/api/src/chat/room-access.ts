import { participantId } from "../accounts/caller.ts";
import { guestName } from "../accounts/guest-id.ts";
import type { CallContext, Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import type { OpenDoor } from "../rooms/open-door.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { RoomStanding } from "../rooms/room-events.ts";
import type { Soon } from "../soon.ts";
import type { SoulRecord } from "../souls/soul.queries.ts";
import { usableSoul } from "../souls/soul-access.ts";
import type { RoomRecord } from "./chat-room.queries.ts";
import { type RoomName, roomKey } from "./room-key.ts";

type Asker = Pick<CallContext, "hub" | "caller">;

export interface EnteredRoom<Row extends RoomRecord = RoomRecord> {
  key: string;
  soul: SoulRecord;
  /** Undefined while nobody has written in it: it then reads as empty. */
  record: Row | undefined;
}

/**
 * The one answer to "may this caller enter?", for every door (decisions §5): the soul must be one
 * they may use, and a private room is its owner's alone.
 * @param freshMs how old a kept yes about an NFT gate may be
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `private_session`
 */
export async function enterRoom(
  ctx: CallContext,
  name: RoomName,
  freshMs?: number,
): Promise<EnteredRoom> {
  return letIn(ctx, name, ctx.hub.chatRooms(roomKey(name)), freshMs);
}

/** The same, of a room whose row is being read with whatever else is wanted of it. */
export async function letIn<Row extends RoomRecord>(
  ctx: CallContext,
  name: RoomName,
  reading: Promise<Row | undefined>,
  freshMs?: number,
): Promise<EnteredRoom<Row>> {
  const [soul, record] = await Promise.all([usableSoul(ctx, name.soul_id, freshMs), reading]);
  if (record?.is_private && record.owner !== participantId(ctx.caller)) {
    throw new HubError("private_session");
  }
  return { key: roomKey(name), soul, record };
}

/**
 * The same for those who ask again and again: where anybody may enter, and that was read lately, no
 * table is asked (docs/decisions/0016). What is then known of the room is whose it is.
 */
export async function reenterRoom(ctx: CallContext, name: RoomName): Promise<ReenteredRoom> {
  const key = roomKey(name);
  const door = doorOf(ctx.hub, key);
  const owner = door?.owner;
  if (owner !== undefined) return { key, record: { owner, is_private: false } };
  return readDoor(ctx, name, door);
}

/**
 * The same for those who come to stay, and are asked again within a minute of that reading. Of a
 * crowd that comes at once, one reads for all.
 */
export async function joinRoom(
  ctx: CallContext,
  name: RoomName,
  key: string,
  freshMs: number,
): Promise<ReenteredRoom> {
  const door = doorOf(ctx.hub, key);
  let owner = door?.ownerWithin(NEWCOMERS_DOOR_MS);
  if (owner === undefined && door?.reading) {
    await door.reading;
    owner = door.ownerWithin(NEWCOMERS_DOOR_MS);
  }
  if (owner === undefined) {
    const reading = readDoor(ctx, name, door, freshMs);
    door?.share(reading);
    return reading;
  }
  return { key, record: owner === null ? undefined : { owner, is_private: false } };
}

/** With the first check of 30 to 40 s, whoever may no longer listen does so for a minute at most. */
const NEWCOMERS_DOOR_MS = 10_000;

/** Undefined: who may enter has to be read. */
export const doorOf = (hub: Hub, key: string): OpenDoor | undefined =>
  // While the bus is known to be down nobody here would hear that the room was shut elsewhere.
  hub.bus() === "down" ? undefined : hub.rooms.door(key);

async function readDoor(
  ctx: CallContext,
  name: RoomName,
  door: OpenDoor | undefined,
  freshMs?: number,
): Promise<EnteredRoom> {
  const keep = door?.beginReading();
  const room = await enterRoom(ctx, name, freshMs);
  const { soul, record } = room;
  const isOpen = soul.is_public === 1 && soul.nft_contract === null && !record?.is_private;
  if (isOpen) keep?.(record?.owner ?? null);
  return room;
}

export interface ReenteredRoom {
  key: string;
  record: (Pick<RoomRecord, "owner" | "is_private"> & Partial<RoomRecord>) | undefined;
}

/** What the room is to the caller: they are told at once, and need not guess their own label. */
export function standingOf(
  ctx: CallContext,
  { record }: Pick<ReenteredRoom, "record">,
  participant = participantOf(ctx),
): RoomStanding {
  const { id, name, kind } = participant;
  const is_owner = record?.owner === id;
  return { is_private: record?.is_private ?? false, you: { name, kind, is_owner } };
}

/** The caller as the room sees them. */
export function participantOf({ hub, caller }: Asker): Participant {
  const id = participantId(caller);
  return "account" in caller
    ? { id, name: caller.account.username, kind: "member" }
    : { id, name: guestName(hub.vault, id), kind: "guest" };
}

/** A guest whose cookie is new was counted without one a moment ago: it must not count twice. */
export function adoptFormerSelf(
  { hub, caller }: Asker,
  key: string,
  participant: Participant,
): Soon<void> {
  if (caller.kind !== "guest" || caller.guest.before === null) return;
  return hub.rooms.adopt(key, `guest:${caller.guest.before}`, participant);
}

/**
 * Gives a guest the cookie that it keeps its place with (decisions §3).
 * @returns the call as made by the guest with that cookie, for what is to be theirs later on; the
 *   id they had without it is everybody's with their address and browser
 */
export function keepGuest(ctx: CallContext): CallContext {
  // No answer over a socket can carry a cookie.
  if (ctx.caller.kind !== "guest" || ctx.door === "socket") return ctx;
  const kept = ctx.caller.guest.keep();
  if (!kept) return ctx;
  ctx.setCookie("guest", kept.cookie, { maxAge: GUEST_SECONDS });
  return { ...ctx, caller: { kind: "guest", guest: kept.guest } };
}

const GUEST_SECONDS = 365 * 24 * 3600;
