import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Credentials, identify } from "../../accounts/credentials.ts";
import { type Caller, countedAs } from "../../caller/caller.ts";
import { addressBlock, ipHash, readGuestCookie } from "../../caller/guest-id.ts";
import type { Hub, RequestContext, Transport } from "../../context.ts";

const overHttps = {
  secure: true,
  session: "__Host-soulhub_session",
  guest: "__Host-soulhub_guest",
};
const overHttp = { secure: false, session: "soulhub_session", guest: "soulhub_guest" };
const cookieNames = (hub: Hub) => (hub.config.baseUrl.startsWith("https:") ? overHttps : overHttp);

interface ShownBySender {
  headers: Record<string, string | string[] | undefined>;
  ip: string;
}

export function readCredentials(hub: Hub, { headers, ip }: ShownBySender): Credentials {
  const names = cookieNames(hub);
  const cookies = headers.cookie ? parseCookie(String(headers.cookie)) : {};
  return {
    authorization: headers.authorization as string | undefined,
    sessionToken: cookies[names.session],
    guestCookie: cookies[names.guest],
    ip,
    userAgent: String(headers["user-agent"] ?? ""),
  };
}

/** Returns the participant id of the guest whose cookie was sent; null without a valid one. */
export function guestOfCookie({ vault }: Hub, { guestCookie }: Credentials): string | null {
  const read = guestCookie ? readGuestCookie(vault, guestCookie, Date.now()) : null;
  return read && `guest:${read.id}`;
}

/**
 * Returns whether a browser states that the hub's own pages sent the call (decisions §3, CSRF).
 * False if both `Sec-Fetch-Site` and `Origin` are missing.
 */
export function isSameOrigin(hub: Hub, headers: ShownBySender["headers"]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (headers.origin === undefined) return false;
  return headers.origin === new URL(hub.config.baseUrl).origin;
}

/**
 * The context of one HTTP call. The caller is looked up once, even if a batch contains several
 * procedures, and once more where the body arrives after that: a client may hold it back until its
 * key is revoked.
 */
export function httpRequestContext(
  hub: Hub,
  transport: Transport,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  let caller: Promise<Caller> | undefined;
  let isBeforeBody = false;
  const addressHash = () => ipHash(hub.vault, addressBlock(request.ip));
  const setCookie: RequestContext["setCookie"] = (name, value, { maxAge }) => {
    const names = cookieNames(hub);
    reply.header(
      "set-cookie",
      stringifySetCookie(names[name], value, {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: names.secure,
        ...(maxAge === undefined ? {} : { maxAge }),
      }),
    );
  };
  const lookUp = async (): Promise<Caller> => {
    const credentials = readCredentials(hub, request);
    const found = await identify(hub, credentials);
    const isStale = credentials.sessionToken !== undefined && found.kind === "guest";
    if (isStale) setCookie("session", "", { maxAge: 0 });
    // A guest has nothing that can be revoked, and keeps the id of its first lookup.
    isBeforeBody = !request.raw.complete && "account" in found;
    return found;
  };
  return {
    hub,
    transport,
    requestId: request.id,
    connection: {},
    log: hub.log,
    identify: (again) => {
      if (again || !caller || isBeforeBody) caller = lookUp();
      return caller;
    },
    sameOrigin: isSameOrigin(hub, request.headers),
    userAgent: String(request.headers["user-agent"] ?? ""),
    mediaType: request.headers["content-type"]?.replace(/;.*/s, "").trim().toLowerCase(),
    ipHash: addressHash,
    limit: (by, rule, points) =>
      hub.rateLimits?.(rule, countedAs(by, request.ip, rule), {
        ...(points === undefined ? {} : { points }),
        report: (left) =>
          reply
            .header("ratelimit-limit", left.limit)
            .header("ratelimit-remaining", left.remaining)
            .header("ratelimit-reset", left.resetSeconds),
      }),
    setCookie,
    guestOfCookie: () => guestOfCookie(hub, readCredentials(hub, request)),
  };
}
