import { createInterface } from "node:readline";
import { memberOf } from "@soul-hub/program";
import { type Hub, toFailure } from "../hub/hub.ts";
import { readEvents } from "../hub/read-events.ts";
import { onHub } from "../hub/session.ts";

const PARSE_ERROR = -32_700;
const UNREACHABLE = -32_000;
const VERSION_IN_MESSAGE = "io.modelcontextprotocol/protocolVersion";
/** The members that the header `Mcp-Name` repeats, by method. */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

interface Message {
  id?: string | number;
  method?: string;
  params?: unknown;
}

/**
 * Passes messages of the Model Context Protocol from stdin to the hub's `/mcp`, and its messages to
 * stdout (0054). Nothing else is written to stdout.
 */
export const mcp = onHub(async (hub, { terminal }) => {
  const running = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  /** The revision that `initialize` agreed on; later messages of that era do not name it. */
  let agreed: string | undefined;

  async function pass(line: string): Promise<void> {
    const message = parse(line);
    if (!message) return terminal.json(failure(null, PARSE_ERROR, "This is no JSON-RPC message."));
    const { id, method, params } = message;
    if (method === "notifications/cancelled") {
      return running.get(memberOf(params, "requestId") as string | number)?.abort();
    }
    const cancelled = new AbortController();
    if (id !== undefined) running.set(id, cancelled);
    let isAnswered = id === undefined;
    try {
      for await (const answer of exchange(hub, message, agreed, cancelled.signal)) {
        // A proxy before the hub may answer in its own words.
        if (!isJsonRpc(answer)) throw toFailure(answer) ?? new Error("The hub did not answer.");
        if (method === "initialize") agreed = versionIn(answer) ?? agreed;
        // The hub cannot name the request of a message that it refused unread.
        const isUnnamed = memberOf(answer, "id") === null && id !== undefined;
        terminal.json(isUnnamed ? { ...(answer as object), id } : answer);
        isAnswered ||= isUnnamed || memberOf(answer, "id") === id;
      }
      if (!isAnswered) throw new Error("The hub did not answer.");
    } catch (error) {
      // Without an id, the client expects no answer; a cancelled request gets none either.
      if (id === undefined || cancelled.signal.aborted) return;
      terminal.json(
        failure(id, UNREACHABLE, error instanceof Error ? error.message : String(error)),
      );
    } finally {
      if (id !== undefined) running.delete(id);
    }
  }

  for await (const line of createInterface({ input: terminal.stdin })) {
    if (line.trim() === "") continue;
    const passed = pass(line).finally(() => pending.delete(passed));
    pending.add(passed);
    // Messages after `initialize` need the revision that it agrees on.
    if (line.includes('"initialize"')) await passed;
  }
  await Promise.all(pending);
  return {};
});

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends a message and yields the hub's answers: one JSON message, or a stream of them. */
async function* exchange(
  hub: Hub,
  message: Message,
  agreed: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const response = await hub.send("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headersOf(message, agreed),
    },
    body: JSON.stringify(message),
    signal,
  });
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    for await (const data of readEvents(response)) yield JSON.parse(data);
  } else if (type.startsWith("application/json")) yield await response.json();
  else await response.body?.cancel();
}

/** The headers by which a server routes a message, as the client of its era sends them. */
function headersOf({ method = "", params }: Message, agreed: string | undefined) {
  const version = memberOf(memberOf(params, "_meta"), VERSION_IN_MESSAGE);
  if (typeof version !== "string") return agreed ? { "mcp-protocol-version": agreed } : {};
  const name = memberOf(params, namedBy[method] ?? "");
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

/** A header holds printable ASCII; the protocol packs other texts in base64. */
const headerText = (text: string): string =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

const isJsonRpc = (answer: unknown): boolean =>
  Array.isArray(answer) ? answer.every(isJsonRpc) : memberOf(answer, "jsonrpc") === "2.0";

const versionIn = (answer: unknown): string | undefined => {
  const version = memberOf(memberOf(answer, "result"), "protocolVersion");
  return typeof version === "string" ? version : undefined;
};

const failure = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
