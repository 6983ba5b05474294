import type { ToolCall } from "../../chat/models/model-port.ts";
import type { EventStream } from "../http/event-stream.ts";
import type { V1Answer } from "./v1-call.ts";

/** The fields that all objects of one chat completion share. */
export interface ChatHead {
  id: string;
  created: number;
  model: string;
}

const usageOf = ({ inputTokens, outputTokens }: V1Answer) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
});

const toToolCall = ({ id, name, arguments: json }: ToolCall) => ({
  id,
  type: "function" as const,
  function: { name, arguments: json },
});

const roomOf = ({ soul_hub }: V1Answer) => (soul_hub ? { soul_hub } : {});

/** The whole answer of POST /v1/chat/completions. */
export function toChatCompletion(head: ChatHead, answer: V1Answer) {
  const { text, toolCalls, finish } = answer;
  const message = {
    role: "assistant" as const,
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toToolCall) }),
  };
  return {
    ...head,
    object: "chat.completion" as const,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: usageOf(answer),
    ...roomOf(answer),
  };
}

/** Writes the chunks of a streamed chat completion. */
export class ChatChunks {
  readonly #stream: EventStream;
  readonly #head: ChatHead;
  readonly #includesUsage: boolean;
  #hasBegun = false;
  #written = "";

  /** @param includesUsage true to add the usage in a last chunk without choices */
  constructor(stream: EventStream, head: ChatHead, includesUsage: boolean) {
    this.#stream = stream;
    this.#head = head;
    this.#includesUsage = includesUsage;
  }

  text(content: string): void {
    this.#begin();
    this.#written += content;
    this.#delta({ content });
  }

  done(answer: V1Answer): void {
    this.#begin();
    for (const [index, call] of answer.toolCalls.entries()) {
      this.#delta({ tool_calls: [{ index, ...toToolCall(call) }] });
    }
    // Clients cannot take a piece back. They find the text here if it is not what they have read.
    const soul_hub = {
      ...answer.soul_hub,
      ...(answer.text !== this.#written && { text: answer.text }),
    };
    this.#delta({}, answer.finish, Object.keys(soul_hub).length > 0 ? { soul_hub } : {});
    if (this.#includesUsage) this.#send({ choices: [], usage: usageOf(answer) });
    this.#stream.write("data: [DONE]");
    this.#stream.end();
  }

  /** A stream that failed has no `[DONE]`. */
  fail(error: object): void {
    this.#stream.write(`data: ${JSON.stringify({ error })}`);
    this.#stream.end();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#delta({ role: "assistant", content: "" });
  }

  #delta(delta: object, finish_reason: string | null = null, more: object = {}): void {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    this.#send({ choices, ...(this.#includesUsage && { usage: null }), ...more });
  }

  #send(fields: object): void {
    const chunk = { ...this.#head, object: "chat.completion.chunk", ...fields };
    this.#stream.write(`data: ${JSON.stringify(chunk)}`);
  }
}
