import { exactCount } from "../../../counts.ts";
import type { ShownMessage } from "./use-older-messages.ts";

/** Tells how a reply was made: the version, the model, and what the model read and wrote. */
export function describeReply(made: NonNullable<ShownMessage["made_by"]>): string {
  const { version, model, tokens_in, tokens_out, summary_version, lines } = made;
  const count = (tokens: number | null) => (tokens === null ? "unknown" : exactCount(tokens));
  return [
    `Version ${version} of the soul, by ${model}.`,
    `Tokens: ${count(tokens_in)} of the prompt, ${count(tokens_out)} of the reply.`,
    `The prompt contained ${lines} earlier ${lines === 1 ? "message" : "messages"}`,
    summary_version === null ? "and no summary." : `and version ${summary_version} of the summary.`,
  ].join(" ");
}

/** Tells that the text of a message was changed, and by whom. */
export function editedBy(line: Pick<ShownMessage, "edited_at" | "made_by">): string | undefined {
  if (!line.edited_at) return undefined;
  return line.made_by?.edited_by ? `edited by ${line.made_by.edited_by}` : "edited";
}
