import { timingSafeEqual } from "node:crypto";
import type { Vault } from "../vault.ts";
import type { AccountReads } from "./account.queries.ts";
import { hashApiKey, isWellFormedApiKey } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import { addressBlock, cookielessGuestId, ipHash, readGuestCookie } from "./guest-id.ts";
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
  adminToken: string | null;
}

/** Who is calling? A key wins over a session, a session over a guest; a bad key is never a guest (decisions §1). */
export async function identify(ports: IdentifyPorts, credentials: Credentials): Promise<Caller> {
  const { authorization, sessionToken } = credentials;
  if (authorization !== undefined) return identifyBearer(ports, authorization);
  if (sessionToken) {
    const sessionHash = hashSessionToken(sessionToken);
    const account = await ports.accounts.bySessionHash(sessionHash);
    if (account) return { kind: "member", account, sessionHash };
  }
  return identifyGuest(ports.vault, credentials);
}

async function identifyBearer(ports: IdentifyPorts, authorization: string): Promise<Caller> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (!token) return { kind: "refused" };
  if (ports.adminToken && sameText(token, ports.adminToken)) return { kind: "admin" };
  if (!isWellFormedApiKey(token)) return { kind: "refused" };
  const account = await ports.accounts.byApiKeyHash(hashApiKey(token));
  return account ? { kind: "key", account } : { kind: "refused" };
}

function identifyGuest(vault: Vault, { guestCookie, ip, userAgent }: Credentials): Caller {
  const nowMs = Date.now();
  const cookie = once(() => (guestCookie ? readGuestCookie(vault, guestCookie, nowMs) : null));
  const hashedIp = once(() => ipHash(vault, addressBlock(ip)));
  const withoutCookie = once(() =>
    cookielessGuestId(
      vault,
      addressBlock(ip),
      userAgent,
      new Date(nowMs).toISOString().slice(0, 10),
    ),
  );
  return {
    kind: "guest",
    guest: {
      get id() {
        return cookie()?.id ?? withoutCookie();
      },
      get before() {
        return cookie()?.fresh ? withoutCookie() : null;
      },
      get ipHash() {
        return hashedIp();
      },
      get hasCookie() {
        return cookie() !== null;
      },
    },
  };
}

function once<T>(work: () => T): () => T {
  let done: { value: T } | null = null;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
