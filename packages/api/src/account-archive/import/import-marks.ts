import { rateSoul, readMarks, toggleLike } from "../../social/social.service.ts";
import { like, rating } from "../archive-format.ts";
import { type ArchiveImportRun, isFromHere, orSkip } from "./import-state.ts";
import { readLines } from "./read-archive.ts";

type Marks = Awaited<ReturnType<typeof readMarks>>;

/** Applies the caller's own likes and ratings, on the hub that wrote the archive only. */
export async function importMarks(run: ArchiveImportRun): Promise<void> {
  if (!isFromHere(run)) {
    for (const kind of ["likes", "ratings"] as const) {
      if (run.manifest.counts[kind] === 0) continue;
      run.skipped.push({ path: `${kind}.ndjson`, reason: "is about souls of another hub" });
    }
    return;
  }
  const { zip, ctx } = run;
  // Souls and rooms are stored by now, so a broken list is left out like any other part.
  await orSkip(run, "likes.ndjson", async () => {
    for await (const mark of readLines(zip, "likes.ndjson", like)) {
      await apply(
        run,
        "likes",
        mark,
        ({ liked }) => liked,
        () => addLike(run, mark.soul_id),
      );
    }
  });
  await orSkip(run, "ratings.ndjson", async () => {
    for await (const mark of readLines(zip, "ratings.ndjson", rating)) {
      await apply(
        run,
        "ratings",
        mark,
        (marks) => marks.rating !== null,
        () => rateSoul(ctx, mark),
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
  { soul_id }: { soul_id: number },
  isSet: (marks: Marks) => boolean,
  set: () => Promise<unknown>,
): Promise<void> {
  await orSkip(run, `${kind}.ndjson`, async () => {
    const isThere = isSet(await readMarks(run.ctx, soul_id));
    if (!isThere && !run.isDry) await set();
    run.done[kind][isThere ? "unchanged" : "created"]++;
  });
}
