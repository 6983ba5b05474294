import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { readDelimitedSoul } from "../chat/models/prompt-delimiters.ts";
import type { CalledTool, Completion, ReplyText } from "./openai-completion.ts";
import { completionJson, completionStream } from "./openai-completion.ts";

/** A request that the local model server received. */
export interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly stream: boolean;
  /** All system messages of the request, joined into one text. */
  readonly system: string;
  /**
   * All messages of the request except system messages, in order. Data URIs of images are in
   * `images`.
   */
  readonly messages: readonly SeenMessage[];
  readonly reasoningEffort: string | undefined;
  /** The parsed body of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Resolves at the end of the response. The value is `cancelled` if the client disconnected before
   * the response was complete.
   */
  readonly ended: Promise<"answered" | "cancelled">;
}

export interface SeenMessage {
  role: string;
  content: string;
  images: string[];
}

/**
 * A fault of one response of the model server:
 * - `hang`: no response
 * - `silent`: response headers only
 * - `stall`: a few words, then nothing
 * - `reset`: the connection breaks before the response
 * - `cut-silent`: the connection breaks after the response headers
 * - `cut`: the connection breaks after a few words
 * - `half`: a few words, then the stream ends without the protocol's last event
 * - `error-chunk`: a few words, then an error event
 * - `garbage`: a few words, then invalid UTF-8
 * - `endless`: words without end
 * - `html`, `empty`, `filtered`: a complete but unusable response
 * - `events`: a stream of these events
 */
export type ServerFault =
  | { status: number; retryAfter?: number | string; body?: string }
  | { redirect: string; status?: number }
  | { events: readonly object[] }
  | "html"
  | "hang"
  | "silent"
  | "reset"
  | "cut-silent"
  | "cut"
  | "stall"
  | "half"
  | "error-chunk"
  | "garbage"
  | "endless"
  | "empty"
  | "filtered";

export interface OpenAiServerOptions {
  /**
   * The API keys that the local model server accepts. Without this option it accepts every request.
   */
  keys?: readonly string[];
  /** With false, the endpoint `/models` does not exist, as on some local servers. */
  listsModels?: boolean;
  /**
   * Returns the text of a reply, or its pieces to stream. The default reply quotes the soul and the
   * question.
   */
  reply?: (request: SeenRequest) => ReplyText;
  /**
   * Returns the fault of a request. `count` is the number of the request, from 1. Faults queued by
   * `failNext` come first.
   */
  fault?: (request: SeenRequest, count: number) => ServerFault | undefined;
  /**
   * Returns the reasoning text before the reply. The default is a secret text for requests with
   * high reasoning effort, else none.
   */
  reasoning?: (request: SeenRequest) => string;
  /** Returns the tools that a reply calls. By default it calls none. */
  toolCalls?: (request: SeenRequest) => readonly CalledTool[];
  /** Why replies without calls of tools end. By default `stop`. */
  finish?: (request: SeenRequest) => Completion["finish"];
}

export interface OpenAiServer extends AsyncDisposable {
  /** The base URL of the local model server, ending in `/v1`. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Resolves with the nth request to the local model server, counted from 1, when it arrives. */
  received(n: number): Promise<SeenRequest>;
  /** Queues faults for the next requests, one per request. */
  failNext(...faults: ServerFault[]): void;
  /** Pauses the next reply after its first piece. The returned function lets the reply continue. */
  holdNext(): () => void;
  close(): Promise<void>;
}

/** Starts a local server with OpenAI's chat completions API over HTTP, streamed or not. */
export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const requests: SeenRequest[] = [];
  const waiting: { n: number; resolve: (request: SeenRequest) => void }[] = [];
  const queued: ServerFault[] = [];
  const holds: Promise<void>[] = [];

  const server = createServer(async (incoming, response) => {
    // The listener for `close` is registered before the body is read, because the client can
    // disconnect at any time.
    const ended = new Promise<"answered" | "cancelled">((resolve) =>
      response.once("close", () => resolve(response.writableFinished ? "answered" : "cancelled")),
    );
    try {
      const request = seen(incoming, await readText(incoming), ended);
      requests.push(request);
      for (const waiter of waiting.filter(({ n }) => n === requests.length))
        waiter.resolve(request);
      const key = request.authorization?.replace("Bearer ", "") ?? "";
      if (options.keys && !options.keys.includes(key)) return refuse(response, { status: 401 });
      const isList = /\/models(\?|$)/.test(request.path) && options.listsModels !== false;
      if (!isList && !request.path.endsWith("/chat/completions"))
        return answer(response, 404, "{}");
      const fault = queued.shift() ?? options.fault?.(request, requests.length);
      await reply(request, response, fault, isList);
    } catch {
      response.destroy();
    }
  });

  async function reply(
    request: SeenRequest,
    response: ServerResponse,
    fault: ServerFault | undefined,
    isList: boolean,
  ) {
    if (fault === "hang") return;
    if (fault === "reset") return void response.destroy();
    if (fault === "html")
      return answer(response, 200, "<!doctype html><p>data: maintenance</p>", "text/html");
    if (typeof fault === "object") return refuse(response, fault);
    if (isList) return answer(response, 200, '{"object":"list","data":[{"id":"text-model"}]}');
    const text =
      fault === "empty" || fault === "filtered" ? "" : (options.reply ?? defaultReply)(request);
    const hold = holds.shift();
    const toolCalls = options.toolCalls?.(request) ?? [];
    const completion: Completion = {
      model: request.model,
      text: hold ? heldText(text, hold) : text,
      reasoning: (options.reasoning ?? defaultReasoning)(request),
      toolCalls,
      finish:
        fault === "filtered"
          ? "content_filter"
          : toolCalls.length > 0
            ? "tool_calls"
            : (options.finish?.(request) ?? "stop"),
      breakWith: fault === "empty" || fault === "filtered" ? undefined : fault,
    };
    if (request.stream) await completionStream(response, completion);
    else answer(response, 200, JSON.stringify(await completionJson(completion)));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    received: (n) =>
      new Promise((resolve) => {
        const request = requests[n - 1];
        if (request) resolve(request);
        else waiting.push({ n, resolve });
      }),
    failNext: (...faults) => void queued.push(...faults),
    holdNext() {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.push(promise);
      return resolve;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function* heldText(text: ReplyText, hold: Promise<void>): AsyncGenerator<string> {
  let isHeld = true;
  for await (const piece of typeof text === "string" ? text.split(/(?<= )/) : text) {
    yield piece;
    if (isHeld) await hold;
    isHeld = false;
  }
}

/** The default reasoning text, which no response, event, log or table may contain. */
export const SECRET_REASONING = "(secret reasoning)";

function defaultReasoning(request: SeenRequest): string {
  return request.reasoningEffort === "high" ? SECRET_REASONING : "";
}

/** The default reply quotes the soul and the last message, so that a test can recognise both. */
function defaultReply(request: SeenRequest): string {
  const soul = readDelimitedSoul(request.system)?.text ?? request.system;
  const creed = soul.trim().split(/\s+/).slice(0, 12).join(" ");
  return `My soul says “${creed}”. You said “${request.messages.at(-1)?.content ?? ""}”.`;
}

function seen(incoming: IncomingMessage, raw: string, ended: SeenRequest["ended"]): SeenRequest {
  const body = (raw === "" ? {} : JSON.parse(raw)) as Record<string, unknown>;
  const all = (Array.isArray(body.messages) ? body.messages : []).map(seenMessage);
  const isSystem = ({ role }: SeenMessage): boolean => role === "system" || role === "developer";
  return {
    path: incoming.url ?? "",
    authorization: incoming.headers.authorization,
    model: String(body.model),
    stream: body.stream === true,
    system: all
      .filter(isSystem)
      .map(({ content }) => content)
      .join("\n"),
    messages: all.filter((message) => !isSystem(message)),
    reasoningEffort: typeof body.reasoning_effort === "string" ? body.reasoning_effort : undefined,
    body,
    ended,
  };
}

interface ContentPart {
  type: string;
  text?: string;
  image_url?: { url: string };
}

function seenMessage(message: {
  role: string;
  content: string | ContentPart[] | null;
}): SeenMessage {
  const { role, content } = message;
  if (typeof content === "string") return { role, content, images: [] };
  if (content === null) return { role, content: "", images: [] };
  return {
    role,
    content: content.map((part) => part.text ?? "").join(""),
    images: content.flatMap((part) => part.image_url?.url ?? []),
  };
}

function refuse(response: ServerResponse, fault: Exclude<ServerFault, string>): void {
  if ("events" in fault) return void sendEvents(response, fault.events);
  if ("redirect" in fault) {
    response.setHeader("location", fault.redirect);
    answer(response, fault.status ?? 307, "");
    return;
  }
  if (fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
  answer(
    response,
    fault.status,
    fault.body ?? JSON.stringify({ error: { message: "provider's own words" } }),
  );
}

/** Sends each event in a write of its own, so that the hub reads them one after the other. */
async function sendEvents(response: ServerResponse, events: readonly object[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    await setImmediate();
  }
  response.end();
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = "application/json",
): void {
  response.writeHead(status, { "content-type": type }).end(body);
}
