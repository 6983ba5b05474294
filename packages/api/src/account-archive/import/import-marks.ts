import type { z } from "zod";
import { rateSoul, readMarks, toggleLike } from "../../social/social.service.ts";
import { like, rating } from "../archive-format.ts";
import { type ArchiveImportRun, isFromHere, orSkip } from "./import-state.ts";
import { readLines } from "./read-archive.ts";

type Marks = Awaited<ReturnType<typeof readMarks>>;

interface Kind<Mark> {
  kind: "likes" | "ratings";
  schema: z.ZodType<Mark>;
  isSet(marks: Marks): boolean;
  set(mark: Mark): Promise<unknown>;
}

/** Applies the caller's own likes and ratings, on the hub that wrote the archive only. */
export async function importMarks(run: ArchiveImportRun): Promise<void> {
  await importList(run, {
    kind: "likes",
    schema: like,
    isSet: ({ liked }) => liked,
    set: ({ soul_id }) => addLike(run, soul_id),
  });
  await importList(run, {
    kind: "ratings",
    schema: rating,
    isSet: (marks) => marks.rating !== null,
    set: (mark) => rateSoul(run.ctx, mark),
  });
}

/** Another import may have added the like meanwhile, so that the first toggle removed it. */
async function addLike({ ctx }: ArchiveImportRun, soulId: number): Promise<void> {
  const { liked } = await toggleLike(ctx, soulId);
  if (!liked) await toggleLike(ctx, soulId);
}

async function importList<Mark extends { soul_id: number }>(
  run: ArchiveImportRun,
  { kind, schema, isSet, set }: Kind<Mark>,
): Promise<void> {
  const path = `${kind}.ndjson`;
  if (!isFromHere(run)) {
    if (run.manifest.counts[kind] === 0) return;
    run.skipped.push({ path, reason: "is about souls of another hub" });
    return;
  }
  const apply = async (mark: Mark) => {
    // A mark that the caller has set here since stays as it is.
    const isThere = isSet(await readMarks(run.ctx, mark.soul_id));
    if (!isThere && !run.isDry) await set(mark);
    run.done[kind][isThere ? "unchanged" : "created"]++;
  };
  // Souls and rooms are stored by now, so a broken list is left out like any other part.
  await orSkip(run, path, async () => {
    for await (const mark of readLines(run.zip, path, schema)) {
      await orSkip(run, path, () => apply(mark));
    }
  });
}
