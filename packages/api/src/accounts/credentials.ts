import { timingSafeEqual } from "node:crypto";
import type { Caller, Guest, KeptGuest } from "../caller/caller.ts";
import {
  addressBlock,
  cookielessGuestId,
  newGuestIdentity,
  readGuestCookie,
  signGuestCookie,
} from "../caller/guest-id.ts";
import { hashCredential } from "../credential-hash.ts";
import type { Vault } from "../vault.ts";
import type { AccountReads } from "./account.queries.ts";
import { isWellFormedApiKey } from "./api-key.ts";

/** The credentials and the sender of a request, before verification. */
export interface Credentials {
  /** The `Authorization` header; over WebSocket the `authorization` of tRPC's connectionParams. */
  authorization: string | undefined;
  sessionToken: string | undefined;
  guestCookie: string | undefined;
  ip: string;
  userAgent: string;
}

interface IdentifyPorts {
  accounts: AccountReads;
  vault: Vault;
  config: { adminToken: string | null };
}

/**
 * Looks up the caller of a request. A key takes precedence over a session, and a session over a
 * guest. A bad key is refused and never falls back to a guest (decisions §1).
 */
export async function identify(ports: IdentifyPorts, credentials: Credentials): Promise<Caller> {
  const { authorization, sessionToken } = credentials;
  if (authorization !== undefined) return identifyBearer(ports, authorization);
  if (sessionToken) {
    const sessionHash = hashCredential(sessionToken);
    const account = await ports.accounts.bySessionHash(sessionHash);
    if (account) return { kind: "member", account, sessionHash };
  }
  return new GuestCaller(() => identifyGuest(ports.vault, credentials));
}

/** Parses an `Authorization` header without a query. @returns null if the header is malformed */
export function readBearer(
  authorization: string,
  adminToken: string | null,
): { kind: "admin" } | { kind: "key"; token: string } | null {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (!token) return null;
  if (adminToken && sameText(token, adminToken)) return { kind: "admin" };
  return isWellFormedApiKey(token) ? { kind: "key", token } : null;
}

async function identifyBearer(ports: IdentifyPorts, authorization: string): Promise<Caller> {
  const shown = readBearer(authorization, ports.config.adminToken);
  if (shown?.kind !== "key") return shown ?? { kind: "refused" };
  const { token } = shown;
  const holder = await ports.accounts.byApiKeyHash(hashCredential(token));
  return holder ? { kind: "key", ...holder } : { kind: "refused" };
}

/**
 * A caller without an account. It is identified on first use, because most public reads need no
 * guest id. This is a class, because V8 creates a hidden class for each object literal with a
 * getter. The hidden class would keep the literal's references alive until a full garbage
 * collection.
 */
class GuestCaller {
  readonly kind = "guest";
  readonly #identify: () => Guest;
  #guest: Guest | undefined;

  constructor(identify: () => Guest) {
    this.#identify = identify;
  }

  get guest(): Guest {
    this.#guest ??= this.#identify();
    return this.#guest;
  }
}

/** Identifies a guest by its cookie, or else by address and user agent (decisions §3, Guest). */
function identifyGuest(vault: Vault, { guestCookie, ip, userAgent }: Credentials): Guest {
  const nowMs = Date.now();
  const cookie = guestCookie ? readGuestCookie(vault, guestCookie, nowMs) : null;
  const idWithoutCookie = () => cookielessGuestId(vault, addressBlock(ip), userAgent, nowMs);
  const id = cookie?.id ?? idWithoutCookie();
  let kept: KeptGuest | undefined;
  const issue = (name: string | null): KeptGuest => {
    const identity = { ...newGuestIdentity(nowMs), name };
    const successor = { ...guest, id: identity.id, name, before: id, hasCookie: true };
    return {
      cookie: signGuestCookie(vault, identity),
      guest: { ...successor, keep: () => null },
    };
  };
  const guest: Guest = {
    id,
    name: cookie?.name ?? null,
    before: cookie?.fresh ? idWithoutCookie() : null,
    quotaId: id,
    hasCookie: cookie !== null,
    keep() {
      if (cookie) return cookie.resigned === null ? null : { cookie: cookie.resigned, guest };
      kept ??= issue(null);
      return kept;
    },
    rename(name) {
      if (!cookie) return issue(name);
      return { cookie: signGuestCookie(vault, { ...cookie, name }), guest: { ...guest, name } };
    },
  };
  return guest;
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
