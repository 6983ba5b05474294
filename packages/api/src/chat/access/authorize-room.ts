import { participantId } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { usableSoul } from "../../souls/soul-access.ts";
import type { RoomRecord } from "../history/chat-room.queries.ts";
import { type RoomName, roomKey } from "./room-key.ts";

/** The error codes of {@link authorizeRoom}, for `meta.rest` of the procedures that call it. */
export const roomFailures = [
  "soul_not_found",
  "nft_required",
  "private_session",
  "chain_unavailable",
] as const;

/** A room that the caller may enter, with the data that was read from the database. */
export interface AuthorizedRoom<Row extends RoomRecord> {
  key: string;
  soul: SoulRecord;
  /** The room's row; undefined while the room has no message. Such a room reads as empty. */
  record: Row | undefined;
}

/**
 * Checks on every transport whether the caller may enter a room (decisions §5). The caller must be
 * allowed to use the soul, and own the room if the room is private.
 * @param readRow reads the room's row, with the columns that the caller of this function needs
 * @param gateMaxAgeMs maximum age of a cached answer about an NFT gate, in milliseconds; by default
 *   60 s (decisions §4)
 * @throws HubError one of {@link roomFailures}
 */
export async function authorizeRoom<Row extends RoomRecord>(
  ctx: CallContext,
  name: RoomName,
  readRow: (roomKey: string) => Promise<Row | undefined>,
  gateMaxAgeMs?: number,
): Promise<AuthorizedRoom<Row>> {
  const key = roomKey(name);
  const [soul, record] = await Promise.all([
    usableSoul(ctx, name.soul_id, gateMaxAgeMs),
    readRow(key),
  ]);
  if (record?.is_private && record.owner !== participantId(ctx.caller)) {
    throw new HubError("private_session");
  }
  return { key, soul, record };
}

/**
 * A room that the caller may enter. If the answer comes from the cache, `record` holds only the
 * room's owner and privacy.
 */
export interface CachedRoom {
  key: string;
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
 * Like {@link authorizeRoom}, but answers from memory for a public room of a public soul without an
 * NFT gate (0016).
 * @throws HubError one of {@link roomFailures}
 */
export async function authorizeCachedRoom(
  ctx: CallContext,
  name: RoomName,
  { maxAgeMs, gateMaxAgeMs }: CacheOptions,
): Promise<CachedRoom> {
  const { rooms, chatRooms, bus } = ctx.hub;
  const read = () => authorizeRoom(ctx, name, chatRooms, gateMaxAgeMs);
  // While the bus is down, this server does not learn that another server made the room private. It
  // therefore reads the tables.
  if (maxAgeMs === 0 || bus() === "down") return read();
  const key = roomKey(name);
  const cache = rooms.access(key);
  let owner = cache?.ownerWithin(maxAgeMs);
  if (owner === undefined && cache?.reading) {
    // Concurrent callers share one read of the tables.
    await cache.reading;
    owner = cache.ownerWithin(maxAgeMs);
  }
  if (owner !== undefined) {
    return { key, record: owner === null ? undefined : { owner, is_private: false } };
  }
  const store = cache?.beginReading();
  const reading = read().then((room) => {
    const { soul, record } = room;
    const isPublic = soul.is_public === 1 && soul.nft_contract === null && !record?.is_private;
    if (isPublic) store?.(record?.owner ?? null);
    return room;
  });
  cache?.share(reading);
  return reading;
}
