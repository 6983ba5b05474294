import { exactCount } from "../../../../counts.ts";
import type { ShownMessage } from "../use-older-messages.ts";

/** What made a reply, "v4 · gpt-5-mini · 1,871 tokens · summary 3", and whether it was edited. */
export function Provenance({ line }: { line: Pick<ShownMessage, "made_by" | "edited_at"> }) {
  const { made_by, edited_at } = line;
  const editor = made_by?.edited_by;
  const edited = edited_at && (editor ? `edited by ${editor}` : "edited");
  const parts = [...(made_by ? describe(made_by) : []), edited].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <span className="line__provenance" title={made_by ? details(made_by) : undefined}>
      {parts.join(" · ")}
    </span>
  );
}

type MadeBy = NonNullable<ShownMessage["made_by"]>;

function describe({ version, model, tokens_in, tokens_out, summary_version }: MadeBy) {
  const isCounted = tokens_in !== null || tokens_out !== null;
  return [
    `v${version}`,
    // The provider before the colon is in the title.
    model.slice(model.indexOf(":") + 1),
    isCounted && `${exactCount((tokens_in ?? 0) + (tokens_out ?? 0))} tokens`,
    summary_version !== null && `summary ${summary_version}`,
  ];
}

function details({ version, model, tokens_in, tokens_out, summary_version, lines }: MadeBy) {
  const count = (tokens: number | null) => (tokens === null ? "unknown" : exactCount(tokens));
  return [
    `Version ${version} of the soul, by ${model}.`,
    `Tokens: ${count(tokens_in)} of the prompt, ${count(tokens_out)} of the reply.`,
    `The prompt contained ${lines} earlier ${lines === 1 ? "message" : "messages"}`,
    summary_version === null ? "and no summary." : `and version ${summary_version} of the summary.`,
  ].join(" ");
}
