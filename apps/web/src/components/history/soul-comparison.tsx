import { useMemo } from "react";
import { compareSouls } from "../../soul-diff.ts";
import type { SoulState } from "../../soul-states.ts";
import { FileComparison } from "./file-diff.tsx";

const fields = [
  ["title", "Title"],
  ["description", "Description"],
  ["role", "Category"],
  ["domain", "Domain"],
  ["compatibility", "Made for"],
] as const;

/** What differs between two states: the small fields first, then each changed file. */
export function SoulComparison({ from, to }: { from: SoulState; to: SoulState }) {
  const isHidden = from.content_hidden || to.content_hidden;
  const files = useMemo(() => compareSouls(from, to), [from, to]);
  const changedFields = fields.filter(([name]) => from[name] !== to[name]);
  const changedFiles = files.filter(({ state }) => state !== "same");
  const same = files.length - changedFiles.length;
  return (
    <>
      {changedFields.length > 0 && (
        <dl className="panel compared-fields">
          {changedFields.map(([name, label]) => (
            <div key={name}>
              <dt>{label}</dt>
              <dd>
                {from[name] && <del>{from[name]}</del>} {to[name] && <ins>{to[name]}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {isHidden ? (
        <p className="history__same" role="status">
          An NFT gate hides the text of {from.content_hidden ? from.name : to.name}.
        </p>
      ) : (
        <>
          {changedFiles.map((file) => (
            <FileComparison key={file.name} file={file} isNamed={files.length > 1} />
          ))}
          <p className="history__same" role="status">
            {summary(changedFields.length + changedFiles.length, same, files.length)}
          </p>
        </>
      )}
    </>
  );
}

function summary(changed: number, same: number, all: number): string {
  if (changed === 0) return "These two are the same.";
  if (same === 0) return "";
  if (all === 1) return "The text is the same.";
  return same === 1 ? "One file is unchanged." : `${same} files are unchanged.`;
}
