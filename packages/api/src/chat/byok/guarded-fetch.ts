import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { httpFetch } from "../models/http-fetch.ts";
import { hostAndPort } from "./allowed-hosts.ts";
import { isPublicAddress } from "./public-address.ts";

export interface GuardOptions {
  /** `host:port` entries of BYOK_ALLOWED_HOSTS. They may use http and a private address. */
  allowedHosts: ReadonlySet<string>;
  /** For tests: replaces the system's resolver. */
  lookup?: LookupFunction;
  /** For tests: declares local addresses public. */
  isPublic?: (address: string) => boolean;
}

/** Maximum size of a response. A long streamed reply takes a few megabytes. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const IDLE_CONNECTION_MS = 10_000;

/** Error of a request that was refused because of its address. */
export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

/**
 * Creates a `fetch` for URLs that users choose: https to public addresses, and the listed hosts
 * (decisions §5, BYOK, Addresses; docs/decisions/0012). The address is checked when the connection
 * is made, which excludes DNS rebinding. The created `fetch` follows no redirect, uses no proxy,
 * requests no compression, and aborts responses above 8 MB.
 *
 * The input must be a URL and the body a string. Rejects with a {@link RefusedAddress} or with the
 * system's error.
 */
export function createGuardedFetch({
  allowedHosts,
  lookup = dns.lookup,
  isPublic = isPublicAddress,
}: GuardOptions): typeof globalThis.fetch {
  // Node's global agents are not used, because environment variables can make them use a proxy.
  const connections = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const agents = { http: new http.Agent(connections), https: new https.Agent(connections) };

  /**
   * Resolves a host name for a connection, which then uses exactly the checked addresses. If one of
   * the addresses is private, the whole lookup fails.
   */
  const publicLookup: LookupFunction = (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      if (addresses.length > 0 && addresses.every(isPublic)) return callback(null, found, family);
      callback(new RefusedAddress("The name resolves to an address that is not public."), "", 0);
    });

  function assertCallable(url: URL): void {
    if (url.protocol !== "https:") throw new RefusedAddress("Only https is allowed.");
    // Node does not call `lookup` for a literal IP address.
    const address = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(address) && !isPublic(address)) throw new RefusedAddress("The address is not public.");
  }

  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("The input must be a URL, not a Request.");
    const url = new URL(input);
    if (url.username || url.password)
      throw new RefusedAddress("The URL contains a user or password.");
    const isListed = /^https?:$/.test(url.protocol) && allowedHosts.has(hostAndPort(url));
    if (!isListed) assertCallable(url);
    return httpFetch(url, init, {
      agents,
      lookup: isListed ? lookup : publicLookup,
      maxBytes: MAX_RESPONSE_BYTES,
    });
  };
}
