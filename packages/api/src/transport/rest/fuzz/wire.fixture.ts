import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { Input } from "./documented.fixture.ts";
import type { FuzzRequest } from "./requests.fixture.ts";
import { Known, type World } from "./world.fixture.ts";

/** A request as the fuzzer sends it over the network. */
export interface Wire {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** The values before serialisation. The OpenAPI document's schemas validate them. */
  input: Input;
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const agent = new Agent({ keepAlive: true });
const SILENCE_MS = 20_000;

type Fields = Pick<FuzzRequest, "path" | "query" | "body">;

/** Replaces each {@link Known} of a request by its value. */
function lookUp({ path, query, body, actor }: FuzzRequest, world: World): Fields {
  const resolved = (value: unknown): unknown => {
    if (value instanceof Known) return world.known(value.name, actor);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner)]));
  };
  return resolved({ path, query, body }) as Fields;
}

const texts = (pairs: [string, unknown][]) =>
  pairs.map(([name, value]): [string, string] => [name, String(value)]);

export function toWire(request: FuzzRequest, world: World): Wire {
  const known = lookUp(request, world);
  const path = Object.fromEntries(texts(Object.entries(known.path)));
  const query = texts(known.query);
  const { body } = known;
  const filled = request.operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(path[name] ?? ""),
  );
  const asked = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const target = asked ? `${filled}?${asked}` : filled;
  const json = body === undefined ? undefined : JSON.stringify(body);
  const bytes = json === undefined ? undefined : (request.encode?.(json) ?? json);
  const isRead = bytes !== undefined && request.method !== "GET" && request.method !== "HEAD";
  // The hub checks `Origin` only in requests without `Sec-Fetch-Site`.
  const site = request.headers.origin ? {} : { "sec-fetch-site": "same-origin" };
  return {
    method: request.method,
    target: request.rewrite?.(target) ?? target,
    headers: {
      ...site,
      ...world.credentials(request.actor),
      ...(isRead ? { "content-type": "application/json" } : {}),
      ...request.headers,
    },
    body: isRead ? Buffer.from(bytes) : undefined,
    input: { path, query, body },
  };
}

export function send(wire: Wire, world: World): Promise<WireAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const { origin } = new URL(world.hub.url);
  const headers: Record<string, string> = { ...wire.headers };
  const isPromised = "content-length" in headers;
  if (isPromised) headers["content-type"] ??= "application/json";
  else if (wire.body) headers["content-length"] = String(wire.body.length);
  const outgoing = httpRequest(origin, { agent, method: wire.method, path: wire.target, headers });
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error("no answer")));
  outgoing.on("error", reject);
  outgoing.on("response", (incoming: IncomingMessage) => {
    const { statusCode: status = 0, headers: received } = incoming;
    const shown = Object.entries(received).map(([name, value]) => [name, String(value)]);
    readText(incoming)
      .then((text) => resolve({ status, headers: Object.fromEntries(shown), text }), reject)
      // A request with a `Content-Length` of its own never sends its body. The server has answered
      // without the body, so the connection can close.
      .finally(() => isPromised && outgoing.destroy());
  });
  if (isPromised) outgoing.flushHeaders();
  else outgoing.end(wire.body);
  return promise;
}

const MAX_SHOWN = 2_000;
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a request of the fuzzer as a curl command. */
export function curlLine({ method, target, headers, body }: Wire, world: World): string {
  const text = body?.toString() ?? "";
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length})` : text;
  return [
    `curl -i --path-as-is -X ${method} ${quoted(world.hub.url + target)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(shown)}`] : []),
  ].join(" ");
}
