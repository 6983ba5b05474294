import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { mayUse, visibleSoul } from "../soul-access.ts";
import {
  knownSnapshots,
  shownTo,
  snapshotsWithTexts,
  withSnapshotDigest,
} from "./snapshots.queries.ts";
import { readerOf, type VersionReader } from "./version-reader.ts";

/**
 * Lists the snapshots of a soul, newest first. Only the owner sees hidden snapshots and those from
 * while the soul was private (decisions §7). An NFT gate hides the content from callers who do not
 * pass it. A snapshot that had another gate shows its content to the owner only (0014).
 * @param content false for all snapshots without their texts
 * @throws HubError `soul_not_found`, `chain_unavailable`
 */
export async function listVersions(
  ctx: CallContext,
  { soul_id, content }: { soul_id: number; content: boolean },
) {
  const soul = await visibleSoul(ctx, soul_id);
  const reader = readerOf(ctx, soul, await mayUse(ctx, soul));
  const read = content ? readWithTexts : readWithoutTexts;
  // Callers with equal rights to a soul's snapshots share one read per event-loop turn, since the
  // list may be large.
  const key = `versions ${soul_id} ${content} ${JSON.stringify(reader)}`;
  const data = await ctx.hub.souls.list(key, () => read(ctx.db, soul_id, reader));
  return { count: data.length, data };
}

/** Number of snapshots per query. */
const PAGE = 20;
const PAGE_WITHOUT_TEXTS = 500;
/** A response ends after this number of characters of content (0006). */
const MAX_RESPONSE_CHARS = 16_000_000;

const readWithTexts = (db: Db, soulId: number, reader: VersionReader) =>
  readPages(PAGE, async (before) => {
    const rows = await snapshotsWithTexts(db, soulId, reader)
      .where("id", "<", before)
      .orderBy("id", "desc")
      .limit(PAGE)
      .execute();
    return rows.map((row) => shownTo(reader, withSnapshotDigest(row)));
  });

const readWithoutTexts = (db: Db, soulId: number, reader: VersionReader) =>
  readPages(PAGE_WITHOUT_TEXTS, async (before) => {
    const rows = await knownSnapshots(db, soulId, reader)
      .where("id", "<", before)
      .orderBy("id", "desc")
      .limit(PAGE_WITHOUT_TEXTS)
      .execute();
    return rows.map((row) => shownTo(reader, row));
  });

/**
 * Reads page after page, newest first. Ids of snapshots are assigned under the soul's lock, so their
 * order is the order of the edits.
 * @param size the number of rows of a full page
 * @param readPage returns the rows whose ids are below `before`
 */
async function readPages<Row extends { id: number; content?: string }>(
  size: number,
  readPage: (before: number) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = [];
  let chars = 0;
  let before = Number.MAX_SAFE_INTEGER;
  while (chars < MAX_RESPONSE_CHARS) {
    const rows = await readPage(before);
    all.push(...rows);
    for (const { content = "" } of rows) chars += content.length;
    before = rows.at(-1)?.id ?? 0;
    if (rows.length < size) break;
  }
  return all;
}
