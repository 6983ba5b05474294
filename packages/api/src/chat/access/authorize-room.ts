import { sql } from "kysely";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { hiddenByStaff } from "../../souls/holds/hidden-by-staff.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { usableSoul } from "../../souls/soul-access.ts";
import { type AdmittingRoom, MAX_LISTED_BANS, type RoomRecord } from "../rows/chat-room.queries.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";
import { canOwn } from "./room-participant.ts";

/** The error codes of {@link authorizeRoom}, for `meta.rest` of the procedures that call it. */
export const roomFailures = [
  "soul_not_found",
  "room_not_found",
  "nft_required",
  "banned",
  "blocked",
  "private_session",
  "chain_unavailable",
] as const;

/** A room that the caller may enter, with the data that was read from the database. */
export interface AuthorizedRoom<Row extends RoomRecord> {
  key: string;
  soul: SoulRecord;
  /** The room's row; undefined while the room has no message. Such a room reads as empty. */
  record: Row | undefined;
  /** True if the address is reserved for the owner of a deleted room, the caller (0042). */
  isReserved: boolean;
}

/**
 * Checks on every transport whether the caller may talk in a room or change it (decisions §5). The
 * caller must be allowed to use the soul, must be neither banned nor blocked, and must own or be a
 * member of a private room.
 * @param readRow reads the room's row and the caller's row in it (0040), with the columns that the
 *   caller of this function needs
 * @param gateMaxAgeMs maximum age of a cached answer about an NFT gate, in milliseconds; by default
 *   60 s (decisions §4)
 * @throws HubError one of {@link roomFailures}
 */
export async function authorizeRoom<Row extends RoomRecord>(
  ctx: CallContext,
  name: RoomName,
  readRow: (roomKey: string, participant: string) => Promise<Row | undefined>,
  gateMaxAgeMs?: number,
): Promise<AuthorizedRoom<Row>> {
  const key = roomKey(name);
  const participant = participantId(ctx.caller);
  const [soul, row] = await Promise.all([
    usableSoul(ctx, name.soul_id, gateMaxAgeMs),
    readRow(key, participant),
  ]);
  if (row) assertMayEnter(row, participant);
  const isReserved = row?.id === null;
  return { key, soul, record: isReserved ? undefined : row, isReserved };
}

/** A room that the caller may read. */
export interface ReadableRoom<Row extends RoomRecord> extends Omit<AuthorizedRoom<Row>, "soul"> {
  /** False if the caller may read the room, but not use its soul (0076). */
  mayUse: boolean;
  /** True if every caller may use the soul. */
  isOpen: boolean;
}

/** The failures after which those who take part in a room may still read it. */
const SOUL_GONE = new Set<string>(["soul_not_found", "nft_required", "chain_unavailable"]);

/**
 * Checks on every transport whether the caller may read a room. Like {@link authorizeRoom}, but a
 * conversation belongs to the people who wrote it: the room's owner, its members and those who wrote
 * there may read on when they may not use the soul any more (0076).
 * @throws HubError one of {@link roomFailures}
 */
export async function authorizeReader<Row extends RoomRecord>(
  ctx: CallContext,
  name: RoomName,
  readRow: (roomKey: string, participant: string) => Promise<Row | undefined>,
  gateMaxAgeMs?: number,
): Promise<ReadableRoom<Row>> {
  const key = roomKey(name);
  const participant = participantId(ctx.caller);
  const [soul, row] = await Promise.all([
    usableSoul(ctx, name.soul_id, gateMaxAgeMs).catch((error: unknown) => {
      if (error instanceof HubError && SOUL_GONE.has(error.code)) return error;
      throw error;
    }),
    readRow(key, participant),
  ]);
  const mayUse = !(soul instanceof HubError);
  const isReserved = row?.id === null;
  const record = isReserved ? undefined : row;
  if (!mayUse && !(record && (await takesPart(ctx, name, record)))) throw soul;
  if (row) assertMayEnter(row, participant);
  return { key, record, isReserved, mayUse, isOpen: mayUse && isOpen(soul) };
}

const isOpen = (soul: SoulRecord) => soul.is_public === 1 && soul.nft_contract === null;

/**
 * Reports whether the caller owns a room, is its member or has written in it. False for the rooms of
 * a soul that the hub's staff hide (0061).
 */
async function takesPart(
  ctx: CallContext,
  { soul_id }: RoomName,
  { id, owner, is_member }: RoomRecord,
): Promise<boolean> {
  const me = participantId(ctx.caller);
  if (!canOwn(ctx)) return false;
  const { rows } = await sql`select where not ${hiddenByStaff(sql.lit(soul_id))}
    and (${owner === me || is_member} or exists (
      select from chat_messages where room_id = ${id} and sender = ${me}))`.execute(ctx.db);
  return rows.length > 0;
}

/** @throws HubError `banned` with `until`, `blocked`, `private_session`, `room_not_found` */
function assertMayEnter(
  { owner, restriction, restricted_until, is_private, is_closed, is_member }: RoomRecord,
  participant: string,
): void {
  if (owner === participant) return;
  if (restriction === "banned")
    throw new HubError("banned", { extra: { until: restricted_until } });
  if (restriction !== null && restriction !== "muted") throw new HubError(restriction);
  if (is_closed || (is_private && !is_member)) throw new HubError("private_session");
}

/**
 * A room that the caller may enter. If the answer comes from the cache, `record` holds only the
 * room's owner and privacy.
 */
export interface CachedRoom {
  key: string;
  mayUse: boolean;
  record: (Pick<RoomRecord, "owner" | "is_private"> & Partial<RoomRecord>) | undefined;
}

interface CacheOptions {
  /**
   * Maximum age of a cached answer about a public room, in milliseconds. With 0, the tables are
   * always read.
   */
  maxAgeMs: number;
  gateMaxAgeMs?: number;
}

/**
 * Like {@link authorizeReader}, but answers from memory for a public room of a public soul without an
 * NFT gate (0016), unless the caller is among the room's banned participants (0040).
 * @throws HubError one of {@link roomFailures}
 */
export async function authorizeCachedRoom(
  ctx: CallContext,
  name: RoomName,
  { maxAgeMs, gateMaxAgeMs }: CacheOptions,
): Promise<CachedRoom> {
  const { rooms, chatRooms, bus } = ctx.hub;
  const read = () => authorizeReader(ctx, name, chatRooms, gateMaxAgeMs);
  // While the bus is down, this server does not learn that another server made the room private. It
  // therefore reads the tables.
  if (maxAgeMs === 0 || bus() === "down") return read();
  const key = roomKey(name);
  const cache = rooms.access(key);
  let access = cache?.within(maxAgeMs);
  if (access === undefined && cache?.reading) {
    // Concurrent callers share one read of the tables.
    await cache.reading;
    access = cache.within(maxAgeMs);
  }
  if (access) {
    const { owner, banned } = access;
    // The tables know whether a ban is still in effect.
    if (banned.has(participantId(ctx.caller))) return read();
    const record = owner === null ? undefined : { owner, is_private: false };
    return { key, mayUse: true, record };
  }
  const reading = read();
  cache?.store(reading, openAccess);
  return reading;
}

/** Returns the access of a room that is open to every caller but those banned from it. */
function openAccess({ isOpen, record, isReserved }: ReadableRoom<AdmittingRoom>) {
  if (isReserved) return undefined;
  const { owner = null, banned = [], is_private, is_closed } = record ?? {};
  if (!isOpen || is_private || is_closed || banned.length > MAX_LISTED_BANS) return undefined;
  return { owner, banned: new Set(banned) };
}
