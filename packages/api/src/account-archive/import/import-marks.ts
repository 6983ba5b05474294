import { z } from "zod";
import { rateSoul, readMarks, toggleLike } from "../../social/social.service.ts";
import { type ArchiveImportRun, isFromHere, orSkip } from "./import-state.ts";
import { readLines } from "./read-archive.ts";

const like = z.object({ soul_id: z.int().min(1) });
const rating = like.extend({ rating: z.int().min(1).max(5) });

/** Applies the caller's own likes and ratings, on the hub that wrote the archive only. */
export async function importMarks(run: ArchiveImportRun): Promise<void> {
  if (!isFromHere(run)) {
    for (const path of ["likes.ndjson", "ratings.ndjson"]) {
      const { counts } = run.manifest;
      const isEmpty = path === "likes.ndjson" ? counts.likes === 0 : counts.ratings === 0;
      if (!isEmpty) run.skipped.push({ path, reason: "is about souls of another hub" });
    }
    return;
  }
  // Souls and rooms are stored by now, so a broken list is left out like any other part.
  await orSkip(run, "likes.ndjson", async () => {
    for await (const { soul_id } of readLines(run.zip, "likes.ndjson", like)) {
      await apply(
        run,
        "likes",
        soul_id,
        ({ liked }) => liked,
        () => addLike(run, soul_id),
      );
    }
  });
  await orSkip(run, "ratings.ndjson", async () => {
    for await (const mark of readLines(run.zip, "ratings.ndjson", rating)) {
      await apply(
        run,
        "ratings",
        mark.soul_id,
        (marks) => marks.rating !== null,
        () => rateSoul(run.ctx, mark),
      );
    }
  });
}

/** Another import may have added the like meanwhile, so that the first toggle removed it. */
async function addLike({ ctx }: ArchiveImportRun, soulId: number): Promise<void> {
  const { liked } = await toggleLike(ctx, soulId);
  if (!liked) await toggleLike(ctx, soulId);
}

/** A mark that the caller has set here since stays as it is. */
async function apply(
  run: ArchiveImportRun,
  kind: "likes" | "ratings",
  soulId: number,
  isSet: (marks: Awaited<ReturnType<typeof readMarks>>) => boolean,
  set: () => Promise<unknown>,
): Promise<void> {
  await orSkip(run, `${kind}.ndjson`, async () => {
    if (isSet(await readMarks(run.ctx, soulId))) {
      run.done[kind].unchanged++;
      return;
    }
    if (!run.isDry) await set();
    run.done[kind].created++;
  });
}
