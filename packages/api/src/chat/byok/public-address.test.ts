import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./public-address.ts";

describe("the public internet", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "104.18.33.45",
    "99.255.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
  ])("has %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  /**
   * First and last addresses of the ranges in IANA's special-purpose registries. Some addresses are
   * repeated in other notations.
   */
  it.each([
    ["this network", "0.0.0.0", "0.255.255.255"],
    ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0"],
    ["private, the end", "192.168.255.255"],
    ["carrier-grade NAT", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"],
    ["link local", "169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "febf::1"],
    ["link local with a zone", "fe80::1%eth0", "fe80::1%lo"],
    ["protocol assignments", "192.0.0.0", "192.0.0.8", "192.0.0.255", "2001::", "2001:1ff::1"],
    ["documentation", "192.0.2.1", "198.51.100.7", "203.0.113.255", "2001:db8::1", "3fff::1"],
    ["6to4 relays", "192.88.99.1"],
    ["AS112 and AMT", "192.31.196.1", "192.175.48.1", "192.52.193.1", "2620:4f:8000::1"],
    ["benchmarking", "198.18.0.0", "198.19.255.255", "2001:2::1"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff00::1", "ff02::1", "ffff::1"],
    ["reserved and broadcast", "240.0.0.1", "255.255.255.255"],
    ["unspecified", "::", "0:0:0:0:0:0:0:0"],
    ["IPv4 mapped", "::ffff:7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1"],
    ["IPv4 compatible", "::7f00:1", "::127.0.0.1", "::8.8.8.8"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::7f00:1"],
    ["6to4", "2002:7f00:1::", "2002:0808:0808::1"],
    ["Teredo", "2001:0:53aa:64c::1"],
    ["ORCHID", "2001:10::1", "2001:20::1"],
    ["discard", "100::1"],
    ["unique local", "fc00::1", "fd00::1", "fdff:ffff::1"],
    ["site local", "fec0::1"],
    ["the former 6bone", "3ffe::1", "3ffe:ffff:ffff::1"],
    ["segment routing", "5f00::1"],
    ["given to nobody yet", "4000::1", "a000::1", "::2", "1::1"],
    [
      "no address",
      "",
      "localhost",
      "127.1",
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "8.8.8",
      "８.8.8.8",
    ],
    ["no address either", "1.1.1.1 ", "01.1.1.1", "[::1]", "1.1.1.1/8", "2606:4700::/32", "::g"],
  ])("has no %s", (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
