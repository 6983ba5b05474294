import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Caller, countedAs } from "../accounts/caller.ts";
import { type Credentials, identify } from "../accounts/credentials.ts";
import { addressBlock, ipHash } from "../accounts/guest-id.ts";
import type { Door, DoorContext, Hub } from "../context.ts";
import { andThen, type Soon } from "../soon.ts";

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

/**
 * Whether a browser says that the call comes from the hub's own pages (decisions §3, CSRF).
 * Without either header nothing is known, and a call carried by a cookie is refused.
 */
export function isSameOrigin(hub: Hub, headers: ShownBySender["headers"]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (headers.origin === undefined) return false;
  return headers.origin === new URL(hub.config.baseUrl).origin;
}

/** The context of one HTTP call. Its caller is looked up once, however many procedures the call holds. */
export function httpContext(
  hub: Hub,
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): DoorContext {
  let caller: Soon<Caller> | undefined;
  const addressHash = () => ipHash(hub.vault, addressBlock(request.ip));
  const setCookie: DoorContext["setCookie"] = (name, value, { maxAge }) => {
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
  const identifyOnce = (): Soon<Caller> => {
    const credentials = readCredentials(hub, request);
    const found = identify(hub, credentials);
    return credentials.sessionToken === undefined ? found : andThen(found, clearStale);
  };
  const clearStale = (found: Caller) => {
    if (found.kind === "guest") setCookie("session", "", { maxAge: 0 });
    return found;
  };
  return {
    hub,
    door,
    requestId: request.id,
    connection: {},
    log: hub.log,
    identify: (again) => {
      if (again || !caller) caller = identifyOnce();
      return caller;
    },
    sameOrigin: isSameOrigin(hub, request.headers),
    ipHash: addressHash,
    limit: (by, rule) =>
      hub.rateLimits?.(rule, countedAs(by, request.ip), (left) =>
        reply
          .header("ratelimit-limit", left.limit)
          .header("ratelimit-remaining", left.remaining)
          .header("ratelimit-reset", left.resetSeconds),
      ),
    setCookie,
  };
}
