import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { ownRoom } from "../access/own-room.ts";
import type { RoomName } from "../rows/room-key.ts";
import { storeSummary } from "./store-summary.ts";

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
 * Sets or resets the summary of the caller's room, and returns a message and the stored text
 * (docs/decisions/0015). After a reset, earlier messages never enter a later summary. If a summary
 * run is in progress, it detects the change and stores nothing.
 * @throws HubError those of ownRoom; `summary_changed` if the stored summary differs from `expected`
 */
export async function correctSummary(
  ctx: AccountContext,
  { summary, expected, ...name }: Correction,
) {
  const { id } = (await ownRoom(ctx, name)).record;
  const text = summary?.trim() ?? "";
  const version = await storeSummary(ctx.db, id, {
    expected_text: expected ?? null,
    expected_to: null,
    new_text: text,
    covers: null,
    maker: "person",
    maker_name: ctx.caller.account.username,
    claim: null,
  });
  if (version === null) throw new HubError("summary_changed");
  return { message: text ? "The memory is corrected." : "The memory is reset.", summary: text };
}
