import "./file-diff.css";
import { VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import type { DiffLine, DiffRow, FileDiff } from "../../soul-diff.ts";
import { FileIcon } from "../icons.tsx";

/** The number of unchanged lines shown on each side of a change; further lines are collapsed. */
const CONTEXT_LINES = 3;

const stateWords = { added: "new file", removed: "removed file", changed: "", same: "" };

/** One file in two versions: side by side on wide screens, one below the other on narrow ones. */
export function FileComparison({ file, isNamed }: { file: FileDiff; isNamed: boolean }) {
  return (
    <section className="panel file-diff compared" aria-label={`Changes in ${file.name}`}>
      {isNamed && (
        <h2 className="row">
          <FileIcon size={16} /> {file.name} <small>{stateWords[file.state]}</small>
        </h2>
      )}
      {file.isWhole && <p>These files differ too much to be compared line by line.</p>}
      {/* Long lines of a file wrap instead of scrolling. */}
      <table className="file-diff__rows">
        <colgroup>
          <col className="file-diff__numbers" />
          <col />
          <col className="file-diff__numbers" />
          <col />
        </colgroup>
        <thead>
          <VisuallyHidden component="tr">
            <th>Line before</th>
            <th>Before</th>
            <th>Line after</th>
            <th>After</th>
          </VisuallyHidden>
        </thead>
        <tbody>
          {foldRows(file.rows).map((part) =>
            part.isFolded ? (
              <FoldedRows key={`fold ${keyOf(part.rows[0])}`} rows={part.rows} />
            ) : (
              part.rows.map((row) => <ComparedRow key={keyOf(row)} row={row} />)
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

const keyOf = (row: DiffRow | undefined) => `${row?.before?.number ?? ""}:${row?.after?.number}`;

function FoldedRows({ rows }: { rows: readonly DiffRow[] }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return rows.map((row) => <ComparedRow key={keyOf(row)} row={row} />);
  return (
    <tr className="file-diff__fold">
      <td colSpan={4}>
        <button type="button" className="plain-button" onClick={() => setIsOpen(true)}>
          Show {rows.length === 1 ? "1 unchanged line" : `${rows.length} unchanged lines`}
        </button>
      </td>
    </tr>
  );
}

function ComparedRow({ row: { before, after, isSame } }: { row: DiffRow }) {
  return (
    <tr className="file-diff__row" data-same={isSame}>
      <Side line={before} side="before" />
      <Side line={after} side="after" />
    </tr>
  );
}

function Side({ line, side }: { line: DiffLine | undefined; side: "before" | "after" }) {
  const Changed = side === "before" ? "del" : "ins";
  return (
    <>
      <td className="file-diff__number" data-side={side} data-empty={!line}>
        {line?.number}
      </td>
      <td className="file-diff__line" dir="auto" data-side={side} data-empty={!line}>
        {line?.pieces.map(({ text, changed }, at) => {
          // The index is a stable React key, because the parts of a line are never reordered.
          const key = `${at}`;
          return changed ? <Changed key={key}>{text}</Changed> : <span key={key}>{text}</span>;
        })}
        {line?.isUnended && <small> no line break at the end</small>}
      </td>
    </>
  );
}

interface Part {
  isFolded: boolean;
  rows: readonly DiffRow[];
}

function foldRows(rows: readonly DiffRow[]): Part[] {
  const near = rows.map(() => false);
  rows.forEach((row, at) => {
    if (row.isSame) return;
    near.fill(true, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1);
  });
  const parts: Array<{ isFolded: boolean; rows: DiffRow[] }> = [];
  rows.forEach((row, at) => {
    const isFolded = !near[at];
    const last = parts.at(-1);
    if (last?.isFolded === isFolded) last.rows.push(row);
    else parts.push({ isFolded, rows: [row] });
  });
  return parts;
}
