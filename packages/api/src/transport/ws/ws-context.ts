import { randomUUID } from "node:crypto";
import { type Credentials, identify } from "../../accounts/credentials.ts";
import { countedAs } from "../../caller/caller.ts";
import { addressBlock, ipHash } from "../../caller/guest-id.ts";
import type { Hub, RequestContext } from "../../context.ts";
import type { Connection } from "../connection.ts";
import { guestOfCookie } from "../http/request-context.ts";

/**
 * Creates the context of all calls of a socket.
 * @param params tRPC's connectionParams; their `authorization` replaces the header of the upgrade
 */
export function socketContext(
  hub: Hub,
  socket: Connection & { readonly credentials: Credentials },
  { authorization }: Record<string, unknown>,
): RequestContext {
  const credentials =
    typeof authorization === "string"
      ? { ...socket.credentials, authorization }
      : socket.credentials;
  const { ip } = credentials;
  return {
    hub,
    transport: "socket",
    requestId: randomUUID(),
    connection: socket,
    log: hub.log,
    // The caller is identified at every call, because a key, pass or session may end between calls.
    identify: () => identify(hub, credentials),
    // The Origin header was checked at the upgrade of the socket.
    sameOrigin: true,
    userAgent: credentials.userAgent,
    ipHash: () => ipHash(hub.vault, addressBlock(ip)),
    limit: async (caller, rule, points = 1) => {
      await hub.rateLimits?.(rule, countedAs(caller, ip, rule), { points });
    },
    // A call over a WebSocket has no HTTP response that could set a cookie.
    setCookie: () => undefined,
    guestOfCookie: () => guestOfCookie(hub, credentials),
  };
}
