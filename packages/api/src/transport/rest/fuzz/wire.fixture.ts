import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { FuzzRequest } from "./requests.fixture.ts";
import { Known, type World } from "./world.fixture.ts";

/** A request as the fuzzer sends it over the network. */
export interface Wire {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** The values before serialisation. The OpenAPI document's schemas validate them. */
  input: { path: Record<string, string>; query: [string, string][]; body: unknown };
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const agent = new Agent({ keepAlive: true });
const SILENCE_MS = 20_000;

const lookUp = (value: unknown, request: FuzzRequest, world: World): unknown => {
  if (value instanceof Known) return world.known(value.name, request.actor);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => lookUp(inner, request, world));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, lookUp(inner, request, world)]),
  );
};

export function toWire(request: FuzzRequest, world: World): Wire {
  const path = Object.fromEntries(
    Object.entries(request.path).map(([name, value]) => [
      name,
      String(lookUp(value, request, world)),
    ]),
  );
  const query = request.query.map(([name, value]): [string, string] => [
    name,
    String(lookUp(value, request, world)),
  ]);
  const body = lookUp(request.body, request, world);
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
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("error", reject);
    incoming.on("end", () => {
      resolve({
        status: incoming.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        ),
        text: Buffer.concat(pieces).toString(),
      });
      // A request with a `Content-Length` of its own never sends its body. The server has answered
      // without the body, so the connection can close.
      if (isPromised) outgoing.destroy();
    });
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
