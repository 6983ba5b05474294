import ipaddr from "ipaddr.js";

/** The only IPv6 range that is assigned for public use. Special ranges within it are excluded. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** The range of the former test network 6bone, which was returned to IANA (RFC 3701). */
const SIX_BONE = ipaddr.IPv6.parseCIDR("3ffe::/16");

/**
 * True if an address belongs to the public internet. Special ranges do not: private, loopback, link
 * local, carrier-grade NAT, documentation, benchmarking, multicast, reserved. Neither does IPv6 that
 * carries an IPv4 address (mapped, NAT64, 6to4, Teredo), since that address may be special, too.
 */
export function isPublicAddress(text: string): boolean {
  // Only the notation of resolvers and the URL parser is accepted: no octal numbers, no short
  // forms.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv4") return true;
  return address.match(GLOBAL_UNICAST) && !address.match(SIX_BONE);
}
