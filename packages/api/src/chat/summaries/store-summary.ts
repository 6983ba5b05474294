import type { Db } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";

interface SummaryChange {
  /** The summary that must be current; empty for none. Null replaces any. */
  expected_text: string | null;
  /** The message that the current summary must cover to; null for any. */
  expected_to: number | null;
  /** Empty resets the summary. */
  new_text: string;
  /** The newest message that the text covers. Null keeps it, or resets it up to the path's end. */
  covers: number | null;
  maker: "fold" | "person" | "rollback";
  /** Name of the person who changes the summary. */
  maker_name: string | null;
  /** Of a fold: its reservation of the room. Without the reservation it stores nothing. */
  claim: string | null;
}

/**
 * Replaces a room's summary and adds a version to its history (0038).
 * @returns the number of the version; null if the room, its summary or its path changed meanwhile
 */
export async function storeSummary(
  db: Db,
  roomId: number,
  change: SummaryChange,
): Promise<number | null> {
  const args = { of_room: roomId, ...change };
  const [row] = await callFunction<{ store_summary: number | null }>(db, "store_summary", args);
  return row?.store_summary ?? null;
}
