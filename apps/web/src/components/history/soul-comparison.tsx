import { describeDifference } from "@soul-hub/soul-diff";
import { useMemo } from "react";
import type { SoulVersion } from "../../queries.ts";
import { compareSouls, type FileDiff } from "../../soul-diff.ts";
import { readSoulFiles } from "../../soul-files.ts";
import { FileComparison } from "./file-diff.tsx";

const fields = [
  ["title", "Title"],
  ["description", "Description"],
  ["role", "Category"],
  ["domain", "Domain"],
  ["compatibility", "Made for"],
] as const;

/** Shows the differences between two versions: short fields first, then each changed file. */
export function SoulComparison({ from, to }: { from: SoulVersion; to: SoulVersion }) {
  const isHidden = from.content_hidden || to.content_hidden;
  const files = useMemo(() => (isHidden ? [] : compareSouls(from, to)), [isHidden, from, to]);
  const changedFields = fields.filter(([name]) => from[name] !== to[name]);
  const changedFiles = files.filter(({ state }) => state !== "same");
  return (
    <section className="stack" aria-label={`Changes from v${from.number} to v${to.number}`}>
      {changedFields.length > 0 && (
        <dl className="panel facts compared">
          {changedFields.map(([name, label]) => (
            <div key={name}>
              <dt>{label}</dt>
              <dd className="long-text" dir="auto">
                {from[name] && <del>{from[name]}</del>} {to[name] && <ins>{to[name]}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {isHidden ? (
        <p role="status">
          An NFT gate hides the text of v{from.content_hidden ? from.number : to.number}.
        </p>
      ) : (
        <>
          {changedFiles.map((file) => (
            <FileComparison key={file.name} file={file} isNamed={files.length > 1} />
          ))}
          <p role="status">{summaryOf({ from, to, changedFields, files })}</p>
        </>
      )}
    </section>
  );
}

interface Changes {
  from: SoulVersion;
  to: SoulVersion;
  changedFields: readonly (typeof fields)[number][];
  files: readonly Pick<FileDiff, "state">[];
}

/** Says what the lists above do not show: changes of the form, and the unchanged files. */
function summaryOf({ from, to, changedFields, files }: Changes): string {
  const { kinds, summary } = describeDifference({
    before: formOf(from),
    after: formOf(to),
    fields: changedFields.map(([, label]) => label.toLowerCase()),
    files,
  });
  const isShown = kinds.includes("files") && !kinds.some((kind) => !SHOWN.has(kind));
  if (!isShown) {
    // The page does not know whether two packages are the same.
    const isOpen = to.has_package && kinds.every((kind) => kind === "fields");
    return isOpen ? "The texts are the same." : summary;
  }
  const same = files.filter(({ state }) => state === "same").length;
  if (same === 0) return "";
  return same === 1 ? "One file is unchanged." : `${same} files are unchanged.`;
}

const SHOWN: ReadonlySet<string> = new Set(["files", "fields"]);

const formOf = (version: SoulVersion) => ({
  content: version.content,
  file_type: version.file_type,
  files: readSoulFiles(version),
  package: version.has_package,
});
