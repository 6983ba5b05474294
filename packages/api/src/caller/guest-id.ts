import { randomBytes, timingSafeEqual } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { Vault } from "../vault.ts";

const ID_BYTES = 16;
const ID_CHARS = 22;
const DAY_MS = 24 * 3600 * 1000;
const PURPOSE = "guest-cookie";
/**
 * Age up to which a guest cookie counts as fresh. Until then, rooms also look for the guest under
 * the id that it had without the cookie. The presence recorded under that id expires earlier
 * (decisions §6, Presence).
 */
const FRESH_MS = 60_000;

/** The lifetime of a guest cookie in the browser. */
export const GUEST_COOKIE_SECONDS = 365 * 24 * 3600;

/** The content of a guest cookie. */
export interface GuestIdentity {
  id: string;
  /** The time of issue: seconds in base36. */
  issued: string;
  /** The name that the guest has chosen, or null. */
  name: string | null;
}

/** Creates the identity of a new guest. */
export const newGuestIdentity = (nowMs: number): GuestIdentity => ({
  id: randomBytes(ID_BYTES).toString("base64url"),
  issued: Math.floor(nowMs / 1000).toString(36),
  name: null,
});

/**
 * Returns the guest cookie of an identity: `<128-bit id>.<time of issue>.<signature>`, with the
 * base64url of a chosen name before the signature (decisions §3).
 */
export function signGuestCookie(vault: Vault, { id, issued, name }: GuestIdentity): string {
  const encoded = name === null ? [] : [Buffer.from(name).toString("base64url")];
  return sign(vault, [id, issued, ...encoded].join("."));
}

export interface ReadCookie extends GuestIdentity {
  /** True if the guest cookie is less than a minute old. */
  fresh: boolean;
  /** The cookie, signed again with the first master key; null if that key had already signed it. */
  resigned: string | null;
}

/**
 * Verifies a guest cookie. Cookies outlive key rotations, so every master key is accepted.
 * @returns null if no master key has signed the cookie
 */
export function readGuestCookie(vault: Vault, cookie: string, nowMs: number): ReadCookie | null {
  const cut = cookie.lastIndexOf(".");
  const body = cookie.slice(0, cut);
  const given = Buffer.from(cookie.slice(cut + 1), "base64url");
  if (given.length !== ID_BYTES) return null;
  const signer = vault
    .macs(PURPOSE, body)
    .findIndex((mac) => timingSafeEqual(given, mac.subarray(0, ID_BYTES)));
  if (signer < 0) return null;
  const [id, issued, encoded] = body.split(".");
  if (!id || !issued) return null;
  const issuedMs = Number.parseInt(issued, 36) * 1000;
  return {
    id,
    issued,
    name: encoded ? Buffer.from(encoded, "base64url").toString() : null,
    fresh: nowMs - issuedMs < FRESH_MS,
    // The new signature covers the old time of issue, so that the cookie does not become fresh
    // again.
    resigned: signer === 0 ? null : sign(vault, body),
  };
}

const sign = (vault: Vault, body: string): string =>
  `${body}.${vault.mac(PURPOSE, body).subarray(0, ID_BYTES).toString("base64url")}`;

/** Id of a guest without cookies, from its address and user agent; it changes daily (decisions §3). */
export const cookielessGuestId = (vault: Vault, ip: string, userAgent: string, nowMs: number) =>
  vault
    .mac("guest-without-cookie", `${Math.floor(nowMs / DAY_MS)}\0${ip}\0${userAgent}`)
    .toString("base64url")
    .slice(0, ID_CHARS);

/** Keyed hash of an IP address. Addresses are neither stored nor logged in clear (decisions §3). */
export const ipHash = (vault: Vault, ip: string): string =>
  vault.mac("guest-ip", ip).toString("base64url").slice(0, ID_CHARS);

/**
 * Name under which a guest is shown: the chosen name and ` (guest)`, or else `Anonymous #` and four
 * hex digits of the participant's id (specification §2, Chat message).
 */
export const guestLabel = (vault: Vault, participantId: string, name: string | null): string =>
  name === null
    ? `Anonymous #${vault.mac("guest-name", participantId).toString("hex").slice(0, 4)}`
    : `${name} (guest)`;

/**
 * Truncates an IPv6 address to its /64, the usual size of one household's network. Returns IPv4
 * addresses, also IPv4-mapped ones, in dotted form, and other text unchanged.
 * @param address undefined if the client has reset its connection. Fastify's types do not say so.
 */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return "";
  // Some proxies append the port to the client's address.
  const ip = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address;
  const withoutZone = ip.replace(/%.*/, "");
  if (!ipaddr.IPv6.isValid(withoutZone)) return ip;
  const parsed = ipaddr.process(withoutZone);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}
