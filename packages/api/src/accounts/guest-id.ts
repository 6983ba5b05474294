import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import type { Vault } from "../vault.ts";
import { keptHash } from "./kept-hash.ts";

const ID_BYTES = 16;
const ID_CHARS = 22;
const DAY_MS = 24 * 3600 * 1000;
const PURPOSE = "guest-cookie";
/**
 * How long a new cookie's bearer is still taken for the cookie-less guest it was: as long as
 * a presence lease can outlive the call that made it (decisions §6), with room to spare.
 */
const FRESH_MS = 60_000;

/** Decisions §3: a guest's cookie is a signed 128-bit id; `<id>.<issued, seconds base36>.<signature>`. */
export function issueGuestCookie(vault: Vault, nowMs: number): { id: string; value: string } {
  const id = randomBytes(ID_BYTES).toString("base64url");
  return { id, value: sign(vault, `${id}.${Math.floor(nowMs / 1000).toString(36)}`) };
}

export interface ReadCookie {
  id: string;
  fresh: boolean;
  /** The same guest's cookie under the first key, where an older key of the ring had signed it. */
  resigned: string | null;
}

/**
 * A cookie lives for a year and keys are rotated: whichever key of the ring signed it will do.
 * @returns null when the cookie is not one of ours.
 */
export function readGuestCookie(vault: Vault, cookie: string, nowMs: number): ReadCookie | null {
  const signed = readSigned(vault, cookie);
  if (!signed) return null;
  const { id, issuedMs, resigned } = signed;
  return { id, fresh: nowMs - issuedMs < FRESH_MS, resigned };
}

const readSigned = keptHash((vault, cookie) => {
  const cut = cookie.lastIndexOf(".");
  const body = cookie.slice(0, cut);
  const given = Buffer.from(cookie.slice(cut + 1), "base64url");
  if (given.length !== ID_BYTES) return null;
  const signer = vault
    .macs(PURPOSE, body)
    .findIndex((mac) => timingSafeEqual(given, mac.subarray(0, ID_BYTES)));
  if (signer < 0) return null;
  const [id, issued] = body.split(".");
  if (!id || !issued) return null;
  return {
    id,
    issuedMs: Number.parseInt(issued, 36) * 1000,
    // With the time it was issued at: it is no new guest.
    resigned: signer === 0 ? null : sign(vault, body),
  };
});

const sign = (vault: Vault, body: string): string =>
  `${body}.${vault.mac(PURPOSE, body).subarray(0, ID_BYTES).toString("base64url")}`;

/** A caller without any cookie, for one day: counted once however often it polls. */
export const cookielessGuestId = (vault: Vault, ip: string, userAgent: string, nowMs: number) =>
  hashSender(vault, `${Math.floor(nowMs / DAY_MS)}\0${ip}\0${userAgent}`);

const hashSender = keptHash((vault, sender) =>
  vault.mac("guest-without-cookie", sender).toString("base64url").slice(0, ID_CHARS),
);

/** What guests of one address share. The address itself is neither stored nor logged. */
export const ipHash = (vault: Vault, ip: string): string =>
  vault.mac("guest-ip", ip).toString("base64url").slice(0, ID_CHARS);

/** `Anonymous #<4-character code>` (specification §2, Chat message). */
export const guestName = keptHash(
  (vault, guestId) => `Anonymous #${vault.mac("guest-name", guestId).toString("hex").slice(0, 4)}`,
);

/** The part of an address that stands for one household: all of IPv4, the /64 of IPv6. */
export function addressBlock(address: string): string {
  if (isIPv4(address)) return address;
  // Some proxies name the port as well.
  const ip = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address;
  const v4 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip)?.[1];
  if (v4) return v4;
  // What is no address stands for itself alone.
  if (!isIPv6(ip)) return ip;
  const [head = "", tail] = ip.split("%")[0]?.split("::") ?? [];
  const groups = head.split(":").filter(Boolean);
  if (tail !== undefined) {
    const rest = tail.split(":").filter(Boolean);
    while (groups.length + rest.length < 8) groups.push("0");
    groups.push(...rest);
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
