import { timingSafeEqual } from "node:crypto";
import type { Soon } from "../soon.ts";
import type { Vault } from "../vault.ts";
import type { AccountReads } from "./account.queries.ts";
import { hashApiKey, isWellFormedApiKey } from "./api-key.ts";
import type { Caller, Guest, KeptGuest } from "./caller.ts";
import {
  addressBlock,
  cookielessGuestId,
  ipHash,
  issueGuestCookie,
  readGuestCookie,
} from "./guest-id.ts";
import { hashSessionToken } from "./session.service.ts";

/** What a request shows of its sender, before anybody asked who that is. */
export interface Credentials {
  /** The `Authorization` header as it came; over WebSocket the one in connectionParams. */
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
 * Who is calling? A key wins over a session, a session over a guest; a bad key is never a guest
 * (decisions §1). Whoever shows neither is known at once, without a promise.
 */
export function identify(ports: IdentifyPorts, credentials: Credentials): Soon<Caller> {
  const { authorization, sessionToken } = credentials;
  if (authorization !== undefined) return identifyBearer(ports, authorization);
  return sessionToken
    ? identifySession(ports, credentials, sessionToken)
    : guest(ports, credentials);
}

const guest = ({ vault }: IdentifyPorts, credentials: Credentials): Caller => ({
  kind: "guest",
  guest: new GuestBySender(vault, credentials),
});

async function identifySession(
  ports: IdentifyPorts,
  credentials: Credentials,
  sessionToken: string,
): Promise<Caller> {
  const sessionHash = hashSessionToken(sessionToken);
  const account = await ports.accounts.bySessionHash(sessionHash);
  return account ? { kind: "member", account, sessionHash } : guest(ports, credentials);
}

/** What an `Authorization` header shows, without asking the database; null: nothing well-formed. */
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
  const account = await ports.accounts.byApiKeyHash(hashApiKey(token));
  return account ? { kind: "key", account } : { kind: "refused" };
}

/**
 * Works out what it is asked for, and keeps it. A class, since an object literal with getters is a
 * shape of its own each time, which V8 keeps, and all it refers to, until its next full collection.
 */
class GuestBySender implements Guest {
  readonly #vault: Vault;
  readonly #sender: Credentials;
  readonly #nowMs = Date.now();
  #cookie: ReturnType<typeof readGuestCookie> | undefined;
  #withoutCookie: string | undefined;
  #ipHash: string | undefined;
  #kept: KeptGuest | null | undefined;

  constructor(vault: Vault, sender: Credentials) {
    this.#vault = vault;
    this.#sender = sender;
  }

  get id() {
    return this.#readCookie()?.id ?? this.#idWithoutCookie();
  }

  get before() {
    return this.#readCookie()?.fresh ? this.#idWithoutCookie() : null;
  }

  get ipHash() {
    this.#ipHash ??= ipHash(this.#vault, addressBlock(this.#sender.ip));
    return this.#ipHash;
  }

  get hasCookie() {
    return this.#readCookie() !== null;
  }

  get quotaId() {
    return this.id;
  }

  keep() {
    if (this.#kept === undefined) this.#kept = this.#makeKept();
    return this.#kept;
  }

  #makeKept(): KeptGuest | null {
    const held = this.#readCookie();
    if (held) return held.resigned === null ? null : { cookie: held.resigned, guest: this };
    const { id, value } = issueGuestCookie(this.#vault, this.#nowMs);
    const { id: before, ipHash } = this;
    const guest = { id, before, quotaId: before, ipHash, hasCookie: true, keep: () => null };
    return { cookie: value, guest };
  }

  #readCookie() {
    const { guestCookie } = this.#sender;
    if (this.#cookie === undefined) {
      this.#cookie = guestCookie ? readGuestCookie(this.#vault, guestCookie, this.#nowMs) : null;
    }
    return this.#cookie;
  }

  #idWithoutCookie() {
    const { ip, userAgent } = this.#sender;
    this.#withoutCookie ??= cookielessGuestId(
      this.#vault,
      addressBlock(ip),
      userAgent,
      this.#nowMs,
    );
    return this.#withoutCookie;
  }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
