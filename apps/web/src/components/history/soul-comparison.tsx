import { useMemo } from "react";
import type { SoulVersion } from "../../queries.ts";
import { compareSouls } from "../../soul-diff.ts";
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
  const same = files.length - changedFiles.length;
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
          <p role="status">
            {summary(changedFields.length + changedFiles.length, same, files.length)}
          </p>
        </>
      )}
    </section>
  );
}

function summary(changed: number, same: number, all: number): string {
  if (changed === 0) return "These versions are identical.";
  if (same === 0) return "";
  if (all === 1) return "The text is unchanged.";
  return same === 1 ? "One file is unchanged." : `${same} files are unchanged.`;
}
