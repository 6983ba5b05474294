import { sql } from "kysely";
import type { AccountContext } from "../../accounts/caller.ts";
import { participantId } from "../../accounts/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";

/** Longest summary in characters (decisions §5, Memory). */
export const MAX_SUMMARY_CHARS = 2_000;

interface Correction extends RoomName {
  /** The new summary. Null or a blank text resets the summary. */
  summary: string | null;
  /**
   * The summary that the caller last read; empty if there was none. If omitted, any stored summary
   * is replaced.
   */
  expected?: string | undefined;
}

/**
 * Sets or resets the summary of the caller's room, and returns the stored text
 * (docs/decisions/0015). After a reset, earlier messages never enter a later summary. If a summary
 * run is in progress, it detects the change and stores nothing.
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `private_session`,
 *   `not_owner`, `summary_changed` if the stored summary differs from `expected`
 */
export async function correctSummary(
  ctx: AccountContext,
  { summary, expected, ...name }: Correction,
): Promise<string> {
  const { record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  // A room without messages has no owner, so no caller can change its summary.
  if (record?.owner !== participantId(ctx.caller)) {
    throw new HubError("not_owner", {
      message: "Only the owner of this conversation can change its summary.",
    });
  }
  const text = summary?.trim() ?? "";
  const { numUpdatedRows } = await ctx.db
    .updateTable("chat_rooms")
    .set(({ ref }) =>
      text === "" ? { summary: null, summarised_to: ref("head_id") } : { summary: text },
    )
    .where("id", "=", record.id)
    .$if(expected !== undefined, (rooms) =>
      rooms.where(sql<string>`coalesce(summary, '')`, "=", expected ?? ""),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new HubError("summary_changed");
  return text;
}
