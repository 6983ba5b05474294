import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "@soul-hub/soul-formats";
import { HubError } from "../../errors.ts";
import type { ModelEnd, ModelRequest } from "./model-port.ts";
import { readDelimitedSoul } from "./prompt-delimiters.ts";

const QUOTED_WORDS = 24;
const PIECE_WORDS = 6;

const HOW_TO =
  "To enable real replies, the operator of this hub sets TEXT_MODEL and restarts it: for example TEXT_MODEL=openai:gpt-5-mini with OPENAI_API_KEY, or TEXT_MODEL=openai-compatible:llama3.2 with OPENAI_COMPATIBLE_BASE_URL=http://localhost:11434/v1 for a local Ollama.";

/**
 * Streams the reply of the built-in provider `offline` (decisions §5, Routing). The reply quotes the
 * soul and states that no model is configured. It depends on the soul alone.
 * @throws HubError `no_model` for a summary; the signal's reason if it aborts
 */
export async function* streamOffline(
  request: ModelRequest,
  pieceDelayMs: number,
): AsyncGenerator<string, ModelEnd, undefined> {
  // The provider `offline` writes no summaries: they would overwrite the room's stored summary.
  if (request.route === "summary") throw new HubError("no_model");
  request.signal.throwIfAborted();
  const words = offlineReply(request.instructions).match(/\S+\s*/g) ?? [];
  for (let at = 0; at < words.length; at += PIECE_WORDS) {
    if (at > 0) await pause(pieceDelayMs, request.signal);
    yield words.slice(at, at + PIECE_WORDS).join("");
  }
  return {
    provider: "offline",
    model: "offline",
    inputTokens: null,
    outputTokens: null,
    finish: "stop",
    toolCalls: [],
  };
}

function offlineReply(instructions: string): string {
  const soul = readDelimitedSoul(instructions);
  const quote = soul ? meaningfulWords(soul.text) : "";
  const about = soul
    ? `The soul “${soul.title}”${quote ? ` says of itself: “${quote}”` : " is here"}\n\n`
    : "";
  return `No model is configured on this hub, so this is its built-in offline reply.\n\n${about}${HOW_TO}`;
}

/** Returns the first words of the first line of prose, without front matter and Markdown marks. */
function meaningfulWords(text: string): string {
  const lines = text
    .replace(/^(--- \S+ ---\n)?---\r?\n[\s\S]*?\n---[ \t]*(?=\n|$)/, "")
    .split("\n")
    .filter((line) => !/^\s*(#|```|--- )/.test(line))
    .map((line) => oneLine(line.replaceAll(/[*_`>|]/g, "").replace(/^\s*([-+]|\d+\.)\s+/, "")))
    .filter((line) => /\p{L}/u.test(line));
  const line = lines.find((candidate) => candidate.split(" ").length >= 4) ?? lines.join(" ");
  const words = line.split(" ");
  // The limit of 200 characters shortens lines in scripts without spaces.
  const cut = Array.from(words.slice(0, QUOTED_WORDS).join(" ")).slice(0, 200).join("");
  return cut.length < line.length ? `${cut} …` : cut;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
