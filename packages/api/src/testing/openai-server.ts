import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { readFencedSoul } from "../chat/soul-fence.ts";
import type { Completion, ReplyText } from "./openai-completion.ts";
import { completionJson, completionStream } from "./openai-completion.ts";

/** A request as the server saw it: the witness of what a provider is told. */
export interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly stream: boolean;
  /** The whole system part. */
  readonly system: string;
  /** The rest, in order; an image's data URI stands in `images` of its message. */
  readonly messages: readonly SeenMessage[];
  readonly reasoningEffort: string | undefined;
  /** The body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the exchange is over: `answered`, or `cancelled` when the caller went first. */
  readonly ended: Promise<"answered" | "cancelled">;
}

export interface SeenMessage {
  role: string;
  content: string;
  images: string[];
}

/**
 * What goes wrong, once. `hang`: no answer at all; `silent`: the head of an answer, then nothing;
 * `reset`: the line breaks before the answer, `cut` after a few words, `cut-silent` after its head;
 * `stall`: a few words, then silence; `half`: a few words, then a proper end without the protocol's;
 * `error-chunk`: a few words, then an error in the stream; `garbage`: a few words, then what is no
 * event and no UTF-8; `endless`: words without an end.
 */
export type ServerFault =
  | { status: number; retryAfter?: number | string; body?: string }
  | { redirect: string; status?: number }
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
  /** The only keys it takes; without it every one, and none. */
  keys?: readonly string[];
  /** False: it has no list of models, like some local servers. */
  listsModels?: boolean;
  /** The reply's text, or its pieces as they are to be streamed. The default quotes soul and question. */
  reply?: (request: SeenRequest) => ReplyText;
  /** Decides request by request, counted from 1; what `failNext` has queued comes first. */
  fault?: (request: SeenRequest, count: number) => ServerFault | undefined;
  /** Sent as reasoning before the reply. The default sends some when high effort is asked for. */
  reasoning?: (request: SeenRequest) => string;
}

export interface OpenAiServer extends AsyncDisposable {
  /** Its base URL, ending in /v1. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** The nth request (from 1), as soon as it has come. */
  received(n: number): Promise<SeenRequest>;
  /** Faults of the next requests, one each. */
  failNext(...faults: ServerFault[]): void;
  /** The next reply begins, and goes on when the answer is called. */
  holdNext(): () => void;
  close(): Promise<void>;
}

/** A local server that speaks OpenAI's chat completions over real HTTP, streaming and whole. */
export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const requests: SeenRequest[] = [];
  const waiting: { n: number; resolve: (request: SeenRequest) => void }[] = [];
  const queued: ServerFault[] = [];
  const holds: Promise<void>[] = [];

  const server = createServer(async (incoming, response) => {
    // Listening before the body is read: a caller may go at any moment.
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
    const completion: Completion = {
      model: request.model,
      text: hold ? heldText(text, hold) : text,
      reasoning: (options.reasoning ?? defaultReasoning)(request),
      finish: fault === "filtered" ? "content_filter" : "stop",
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

/** The reasoning that must never be seen outside. */
export const SECRET_REASONING = "(secret reasoning)";

function defaultReasoning(request: SeenRequest): string {
  return request.reasoningEffort === "high" ? SECRET_REASONING : "";
}

/** Made from the system part and the last line, so that a test sees which soul answered what. */
function defaultReply(request: SeenRequest): string {
  const soul = readFencedSoul(request.system)?.text ?? request.system;
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

function seenMessage(message: { role: string; content: string | ContentPart[] }): SeenMessage {
  const { role, content } = message;
  if (typeof content === "string") return { role, content, images: [] };
  return {
    role,
    content: content.map((part) => part.text ?? "").join(""),
    images: content.flatMap((part) => part.image_url?.url ?? []),
  };
}

function refuse(response: ServerResponse, fault: Exclude<ServerFault, string>): void {
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

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = "application/json",
): void {
  response.writeHead(status, { "content-type": type }).end(body);
}
