import ipaddr from "ipaddr.js";

/** Of IPv6 only this part is given out to the world; what isn't known to be special may still be. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address belongs to the public internet. Not one of the special ranges does: private,
 * loopback, link local, carrier-grade NAT, documentation, benchmarking, multicast, reserved, and
 * IPv6 that carries an IPv4 address (mapped, NAT64, 6to4, Teredo), which could be any of these.
 */
export function isPublicAddress(text: string): boolean {
  // Only as the system's resolver and the URL parser write them: no octal, no short forms.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}
