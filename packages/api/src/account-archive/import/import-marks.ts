import type { z } from "zod";
import { rateSoul, readMarks, toggleLike } from "../../social/social.service.ts";
import { like, rating } from "../archive-format.ts";
import { type ArchiveImportRun, isFromHere, orSkip } from "./import-state.ts";
import { readLines } from "./read-archive.ts";

type Marks = Awaited<ReturnType<typeof readMarks>>;

/** Applies the caller's own likes and ratings, on the hub that wrote the archive only. */
export async function importMarks(run: ArchiveImportRun): Promise<void> {
  await importList(run, "likes", like, ({ soul_id }, { liked }) =>
    liked ? null : () => addLike(run, soul_id),
  );
  await importList(run, "ratings", rating, (mark, marks) =>
    marks.rating === null ? () => rateSoul(run.ctx, mark) : null,
  );
}

/** Another import may have added the like meanwhile, so that the first toggle removed it. */
async function addLike({ ctx }: ArchiveImportRun, soulId: number): Promise<void> {
  const { liked } = await toggleLike(ctx, soulId);
  if (!liked) await toggleLike(ctx, soulId);
}

/** @param change returns the call that stores a mark; null if the caller has set one here since */
async function importList<Mark extends { soul_id: number }>(
  run: ArchiveImportRun,
  kind: "likes" | "ratings",
  schema: z.ZodType<Mark>,
  change: (mark: Mark, marks: Marks) => (() => Promise<unknown>) | null,
): Promise<void> {
  const path = `${kind}.ndjson`;
  if (!isFromHere(run)) {
    if (run.manifest.counts[kind] === 0) return;
    run.skipped.push({ path, reason: "is about souls of another hub" });
    return;
  }
  const apply = async (mark: Mark) => {
    const store = change(mark, await readMarks(run.ctx, mark.soul_id));
    if (!run.isDry) await store?.();
    run.done[kind][store ? "created" : "unchanged"]++;
  };
  // Souls and rooms are stored by now, so a broken list is left out like any other part.
  await orSkip(run, path, async () => {
    for await (const mark of readLines(run.zip, path, schema)) {
      await orSkip(run, path, () => apply(mark));
    }
  });
}
