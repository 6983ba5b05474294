import { existsSync } from "node:fs";
import { Failure } from "@soul-hub/program";
import { type Comparison, changeLines, diffLines, isSame } from "../folder/compare-souls.ts";
import { requireLink } from "../folder/link.ts";
import { leftOutNote } from "../folder/local-soul.ts";
import { contentHash } from "../folder/remote-soul.ts";
import type { Hub } from "../hub/hub.ts";
import { onHub } from "../hub/session.ts";
import { readLinked } from "./publish.ts";

const DIFFERENT = 1;

/** Tells what a folder and the hub have changed since the last pull or publication. */
export const status = (place: string) =>
  onHub(async (hub) => {
    const link = await requireLink(place, hub.url);
    const { remote, local, comparison } = await readLinked(hub, place, link);
    const changed_here = contentHash(local.read.content) !== link.base_sha256;
    const changed_there = remote.content_sha256 !== link.base_sha256;
    const same = isSame(comparison);
    return {
      json: { ...link, changed_here, changed_there, differs: !same, ...summaryOf(comparison) },
      lines: [
        `Soul ${link.soul_id} at ${link.hub}`,
        ...(changed_there ? ["The hub has a newer text than your last pull."] : []),
        ...(same ? ["Nothing differs."] : ["A publication would change:"]),
        ...changeLines(comparison),
      ],
      notes: leftOutNote(local.leftOut),
    };
  });

/** The texts of a difference belong to `diff`. */
const summaryOf = ({ fields, files, package: kept }: Comparison) => ({
  fields: fields.map(({ name }) => name),
  files: files.map(({ name, state }) => ({ name, state })),
  package: kept,
});

interface DiffOptions {
  from?: number | undefined;
  to?: number | undefined;
  exitCode?: true | undefined;
}

/** Compares a folder with the hub, or two versions of a soul on the hub. */
export const diff = (given: string, { from, to, exitCode }: DiffOptions) =>
  onHub(async (hub) => {
    const isFolder = existsSync(given);
    if (!isFolder && !/^\d{1,15}$/.test(given)) {
      throw new Failure("bad_arguments", `${given} is neither a folder nor the number of a soul.`);
    }
    const link = isFolder ? await requireLink(given, hub.url) : null;
    const isOfVersions = !link || from !== undefined || to !== undefined;
    const comparison = isOfVersions
      ? await compareVersions(hub, { soul_id: link?.soul_id ?? Number(given), from, to })
      : (await readLinked(hub, given, link)).comparison;
    return {
      json: comparison,
      lines: diffLines(comparison),
      exitCode: exitCode && !isSame(comparison) ? DIFFERENT : 0,
    };
  });

async function compareVersions(
  { client }: Hub,
  query: { soul_id: number; from: number | undefined; to: number | undefined },
): Promise<Comparison> {
  const { data } = await client.versions.diff.query(query);
  const files = data.files.filter(({ state }) => state !== "same");
  const { fields, differs_in, summary } = data;
  return { fields, files, package: [], differs_in, summary };
}
