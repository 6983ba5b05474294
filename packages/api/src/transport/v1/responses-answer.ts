import { randomUUID } from "node:crypto";
import type { ToolCall } from "../../chat/models/model-port.ts";
import type { EventStream } from "../http/event-stream.ts";
import type { ResponsesBody } from "./responses-request.ts";
import type { V1Answer } from "./v1-call.ts";

type Status = "in_progress" | "completed" | "incomplete" | "failed";

/** An id as clients expect it: a prefix, and letters and digits. */
export const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll("-", "")}`;

/** The fields of a response that are known before its answer. */
export function responseHead(body: ResponsesBody) {
  return {
    id: newId("resp"),
    object: "response" as const,
    created_at: Math.floor(Date.now() / 1_000),
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    store: false,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: (body.tools ?? []).filter((tool) => !("ignored" in tool)),
    top_p: body.top_p ?? null,
    truncation: "disabled" as const,
    user: null,
  };
}

type ResponseHead = ReturnType<typeof responseHead>;

const textPart = (text: string) => ({
  type: "output_text" as const,
  text,
  annotations: [],
  logprobs: [],
});

const messageItem = (id: string, status: Status, text?: string) => ({
  id,
  type: "message" as const,
  status,
  role: "assistant" as const,
  content: text === undefined ? [] : [textPart(text)],
});

const callItem = (id: string, call: ToolCall, status: Status, json = call.arguments) => ({
  id,
  type: "function_call" as const,
  status,
  call_id: call.id,
  name: call.name,
  arguments: json,
});

/** A response without its output, which the stream shows at its begin. */
const unanswered = (head: ResponseHead, status: Status) => ({
  ...head,
  status,
  output: [],
  usage: null,
});

const reasons = { length: "max_output_tokens", content_filter: "content_filter" } as const;

function answered(head: ResponseHead, answer: V1Answer, output: readonly object[]) {
  const { finish, inputTokens, outputTokens, soul_hub } = answer;
  const reason = finish === "length" || finish === "content_filter" ? reasons[finish] : null;
  return {
    ...head,
    status: reason ? ("incomplete" as const) : ("completed" as const),
    incomplete_details: reason && { reason },
    output,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
    ...(soul_hub ? { soul_hub } : {}),
  };
}

/** Whether a reply has a message beside its calls of tools. */
const hasMessage = ({ text, toolCalls }: V1Answer): boolean =>
  text !== "" || toolCalls.length === 0;

/** The whole answer of POST /v1/responses. */
export const toResponse = (head: ResponseHead, answer: V1Answer) =>
  answered(head, answer, [
    ...(hasMessage(answer) ? [messageItem(newId("msg"), "completed", answer.text)] : []),
    ...answer.toolCalls.map((call) => callItem(newId("fc"), call, "completed")),
  ]);

/** Writes the events of a streamed response. */
export class ResponseEvents {
  readonly #stream: EventStream;
  readonly #head: ResponseHead;
  readonly #messageId = newId("msg");
  readonly #output: object[] = [];
  #sequence = 0;
  #hasBegun = false;
  #hasMessage = false;

  constructor(stream: EventStream, head: ResponseHead) {
    this.#stream = stream;
    this.#head = head;
  }

  text(delta: string): void {
    this.#beginMessage();
    this.#send("response.output_text.delta", { ...this.#part(), delta, logprobs: [] });
  }

  done(answer: V1Answer): void {
    if (hasMessage(answer)) this.#endMessage(answer.text);
    for (const call of answer.toolCalls) this.#call(call);
    const response = answered(this.#head, answer, this.#output);
    this.#begin();
    this.#send(`response.${response.status}`, { response });
    this.#stream.end();
  }

  fail(error: { code: string; message: string }): void {
    const { code, message } = error;
    this.#begin();
    const response = { ...unanswered(this.#head, "failed"), error: { code, message } };
    this.#send("response.failed", { response });
    this.#stream.end();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response = unanswered(this.#head, "in_progress");
    this.#send("response.created", { response });
    this.#send("response.in_progress", { response });
  }

  #beginMessage(): void {
    if (this.#hasMessage) return;
    this.#hasMessage = true;
    this.#begin();
    const item = messageItem(this.#messageId, "in_progress");
    this.#send("response.output_item.added", { output_index: 0, item });
    this.#send("response.content_part.added", { ...this.#part(), part: textPart("") });
  }

  #endMessage(text: string): void {
    this.#beginMessage();
    this.#send("response.output_text.done", { ...this.#part(), text, logprobs: [] });
    this.#send("response.content_part.done", { ...this.#part(), part: textPart(text) });
    this.#endItem(messageItem(this.#messageId, "completed", text));
  }

  #call(call: ToolCall): void {
    this.#begin();
    const id = newId("fc");
    const place = { item_id: id, output_index: this.#output.length };
    const { output_index } = place;
    const item = callItem(id, call, "in_progress", "");
    this.#send("response.output_item.added", { output_index, item });
    this.#send("response.function_call_arguments.delta", { ...place, delta: call.arguments });
    const whole = { ...place, name: call.name, arguments: call.arguments };
    this.#send("response.function_call_arguments.done", whole);
    this.#endItem(callItem(id, call, "completed"));
  }

  #endItem(item: object): void {
    this.#send("response.output_item.done", { output_index: this.#output.length, item });
    this.#output.push(item);
  }

  #part() {
    return { item_id: this.#messageId, output_index: 0, content_index: 0 };
  }

  #send(type: string, fields: object): void {
    const event = { type, sequence_number: this.#sequence++, ...fields };
    this.#stream.write(`event: ${type}\ndata: ${JSON.stringify(event)}`);
  }
}
