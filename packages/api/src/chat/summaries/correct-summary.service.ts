import { sql } from "kysely";
import { participantId } from "../../accounts/caller.ts";
import type { AccountContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { enterRoom } from "../room-access.ts";
import { type RoomName, splitRoomKey } from "../room-key.ts";

/** Decisions §5, Memory: characters of a summary, whoever wrote it. */
export const MAX_SUMMARY_CHARS = 2_000;

interface Correction extends RoomName {
  /** Null, or nothing but white space, clears it. */
  summary: string | null;
  /** What the caller has read; empty for none. */
  expected?: string | undefined;
}

/**
 * The room's owner writes its summary anew, or clears it (decisions §5). A written one stands for
 * all that was folded so far. A cleared one forgets: what was said before is never folded in again.
 * A fold that is under way finds that the room changed, and changes nothing. So does whoever expects
 * what stands there no more: two who write at the same moment don't overwrite each other unseen.
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `private_session`, `not_owner`,
 *   `summary_changed`
 */
export async function correctSummary(
  ctx: AccountContext,
  { summary, expected, ...name }: Correction,
): Promise<string> {
  const { soulId, tokenHash } = splitRoomKey((await enterRoom(ctx, name)).key);
  const text = summary?.trim() ?? "";
  const ownRoom = { soul_id: soulId, token_hash: tokenHash, owner: participantId(ctx.caller) };
  const { numUpdatedRows } = await ctx.db
    .updateTable("chat_rooms")
    .set(({ ref }) =>
      text === "" ? { summary: null, summarised_to: ref("head_id") } : { summary: text },
    )
    .where((eb) => eb.and(ownRoom))
    .$if(expected !== undefined, (rooms) =>
      rooms.where(sql<string>`coalesce(summary, '')`, "=", expected ?? ""),
    )
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return text;
  const found = await ctx.db
    .selectFrom("chat_rooms")
    .select("id")
    .where((eb) => eb.and(ownRoom))
    .executeTakeFirst();
  if (found) throw new HubError("summary_changed");
  // Also where nobody has written yet: there is nothing to remember, and no owner.
  throw new HubError("not_owner", {
    message: "Only who began this conversation can change what is remembered of it.",
  });
}
