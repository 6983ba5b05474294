import { once } from "node:events";
import type { ServerResponse } from "node:http";

export type ReplyText = string | Iterable<string> | AsyncIterable<string>;

export interface Completion {
  model: string;
  text: ReplyText;
  reasoning: string;
  finish: "stop" | "length" | "tool_calls" | "content_filter";
  toolCalls: readonly CalledTool[];
  /** The fault that the stream simulates; undefined for a complete stream. */
  breakWith: Break | undefined;
}

export interface CalledTool {
  id: string;
  name: string;
  arguments: string;
}

const toToolCall = ({ id, name, arguments: json }: CalledTool) => ({
  id,
  type: "function",
  function: { name, arguments: json },
});

type Break =
  | "silent"
  | "cut-silent"
  | "cut"
  | "stall"
  | "half"
  | "error-chunk"
  | "garbage"
  | "endless";

const FIXED = { id: "chatcmpl-1", created: 1_700_000_000 };

/** Builds the local model server's JSON response to a request without `stream`. */
export async function completionJson(completion: Completion): Promise<unknown> {
  let text = "";
  for await (const piece of pieces(completion.text)) text += piece;
  const message = {
    role: "assistant",
    content: text,
    ...(completion.reasoning ? { reasoning_content: completion.reasoning } : {}),
    ...(completion.toolCalls.length > 0
      ? { tool_calls: completion.toolCalls.map(toToolCall) }
      : {}),
  };
  return {
    ...FIXED,
    object: "chat.completion",
    model: completion.model,
    choices: [{ index: 0, message, finish_reason: completion.finish }],
    usage: usage(text),
  };
}

/** Writes the local model server's response to a request with `stream`, as server-sent events. */
export async function completionStream(
  response: ServerResponse,
  completion: Completion,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const send = async (fields: object): Promise<void> => {
    const chunk = { ...FIXED, object: "chat.completion.chunk", model: completion.model, ...fields };
    if (response.write(`data: ${JSON.stringify(chunk)}\n\n`)) return;
    // After a disconnect the response emits no `drain` event. The wait for `drain` therefore also
    // ends when the connection closes.
    await once(response, "drain", { signal: gone.signal }).catch(() => {});
  };
  const delta = (part: object, finish: string | null = null): Promise<void> =>
    send({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

  /** Breaks the connection of the stream after its earlier chunks were written. */
  const breakConnection = () => response.write(":\n\n", () => response.destroy());

  response.writeHead(200, { "content-type": "text/event-stream" });
  await delta({ role: "assistant", content: "" });
  if (completion.breakWith === "silent") return;
  if (completion.breakWith === "cut-silent") return void breakConnection();
  if (completion.reasoning) await delta({ reasoning_content: completion.reasoning });
  let text = "";
  for await (const piece of pieces(completion.text)) {
    if (response.destroyed) return;
    await delta({ content: piece });
    text += piece;
    if (completion.breakWith) break;
  }
  switch (completion.breakWith) {
    case "stall":
      return;
    case "cut":
      return void breakConnection();
    case "half":
      response.end();
      return;
    case "error-chunk":
      await send({ error: { message: "provider's own words", code: "server_error" } });
      break;
    case "garbage":
      response.write(Buffer.from('event\0: \xff\xfe\ndata: {"choices": [\xc3\x28\n\n', "latin1"));
      break;
    case "endless":
      while (!response.destroyed) await delta({ content: "and so on, ".repeat(500) });
      return;
    default:
      for (const [index, call] of completion.toolCalls.entries()) {
        await delta({ tool_calls: [{ index, ...toToolCall(call) }] });
      }
      await delta({}, completion.finish);
      await send({ choices: [], usage: usage(text) });
  }
  response.end("data: [DONE]\n\n");
}

/** Splits a text into pieces of three words. */
function pieces(text: ReplyText): Iterable<string> | AsyncIterable<string> {
  return typeof text === "string" ? (text.match(/(\S+\s*){1,3}|\s+/g) ?? []) : text;
}

const usage = (text: string): object => ({
  prompt_tokens: 11,
  completion_tokens: Math.ceil(text.length / 4),
  total_tokens: 11 + Math.ceil(text.length / 4),
});
