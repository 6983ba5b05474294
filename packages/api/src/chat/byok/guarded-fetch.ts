import dns from "node:dns";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { hostAndPort } from "./host-and-port.ts";
import { isPublicAddress } from "./public-address.ts";

export interface GuardOptions {
  /** `host:port` as the operator listed them (BYOK_ALLOWED_HOSTS): may be http and private. */
  allowedHosts: ReadonlySet<string>;
  /** For tests: in place of the system's resolver. */
  lookup?: LookupFunction;
  /** For tests: addresses of this machine that stand for the internet. */
  isPublic?: (address: string) => boolean;
}

/** A long reply, piece by piece, takes a few megabytes. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const IDLE_CONNECTION_MS = 10_000;

/** An address that nobody may have called on a user's behalf. */
export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

/**
 * fetch for addresses that the operator has not set himself (decisions §5): https to public
 * addresses, and the hosts that he listed. Each address is checked as the connection is made, so
 * that a name can't lead elsewhere in between. Follows no redirect, heeds no proxy of the
 * environment, asks for no compression, and breaks an endless answer off.
 *
 * Takes an address and a text as the body. Rejects with a {@link RefusedAddress}, or with the
 * system's error.
 */
export function createGuardedFetch({
  allowedHosts,
  lookup = dns.lookup,
  isPublic = isPublicAddress,
}: GuardOptions): typeof globalThis.fetch {
  // Agents of their own: the global ones may be told by the environment to use a proxy.
  const connections = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const agents = { http: new http.Agent(connections), https: new https.Agent(connections) };

  /** Its answer is what the connection is made to. One private address among several is enough. */
  const publicLookup: LookupFunction = (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      if (addresses.length > 0 && addresses.every(isPublic)) return callback(null, found, family);
      callback(new RefusedAddress("The name leads to an address that is not public."), "", 0);
    });

  function assertCallable(url: URL): void {
    if (url.protocol !== "https:") throw new RefusedAddress("Only https may be called.");
    // No lookup is made for what is an address already.
    const address = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(address) && !isPublic(address)) throw new RefusedAddress("Not a public address.");
  }

  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("Takes an address, not a Request.");
    const url = new URL(input);
    if (url.username || url.password) throw new RefusedAddress("Names a user or password.");
    const isListed = /^https?:$/.test(url.protocol) && allowedHosts.has(hostAndPort(url));
    if (!isListed) assertCallable(url);
    const { body = null, method = "GET", signal } = init;
    if (body !== null && typeof body !== "string") throw new TypeError("Takes a text as body.");
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isSecure = url.protocol === "https:";
    (isSecure ? https : http)
      .request(url, {
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: isSecure ? agents.https : agents.http,
        lookup: isListed ? lookup : publicLookup,
        ...(signal ? { signal } : {}),
      })
      .on("response", resolve)
      .on("error", reject)
      .end(body ?? undefined);
    return toResponse(await promise);
  };
}

const WITHOUT_BODY = [204, 205, 304];

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const { statusCode: status = 0 } = incoming;
  if (WITHOUT_BODY.includes(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new Error("The answer has a status that there is not.");
  }
  let bytes = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes <= MAX_RESPONSE_BYTES) done(null, chunk);
      else done(new Error(`The answer is longer than ${MAX_RESPONSE_BYTES} bytes.`));
    },
  });
  // Whoever reads is told of a failure; whoever stops reading ends the connection.
  pipeline(incoming, limited).catch(() => {});
  return new Response(Readable.toWeb(limited) as ReadableStream, { status, headers });
}
