import { describe, expect, it } from "vitest";
import { createVault } from "../vault.ts";
import { addressBlock, newGuestIdentity, readGuestCookie, signGuestCookie } from "./guest-id.ts";

const vault = createVault([{ id: "test", key: new Uint8Array(32).fill(1) }]);

describe("addressBlock", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["203.0.113.7:5555", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:203.0.113.7", "2001:db8:1:2::/64"],
    ["1.2.3", "1.2.3"],
    ["unknown", "unknown"],
    // The address of a client that has reset its connection.
    [undefined, ""],
  ])("truncates %s to %s", (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});

describe("guest cookies", () => {
  const now = 1_800_000_000_000;
  const identity = newGuestIdentity(now);
  const cookie = signGuestCookie(vault, identity);

  it("are verified, and fresh for a minute", () => {
    const read = readGuestCookie(vault, cookie, now);
    expect(read).toEqual({ ...identity, fresh: true, resigned: null });
    expect(readGuestCookie(vault, cookie, now + 61_000)?.fresh).toBe(false);
  });

  it("hold a name, which the signature covers", () => {
    const named = { ...identity, name: "Zoë B." };
    const signed = signGuestCookie(vault, named);
    expect(readGuestCookie(vault, signed, now)).toMatchObject(named);
    const [id, issued, , signature] = signed.split(".");
    const forged = [id, issued, Buffer.from("ada").toString("base64url"), signature].join(".");
    expect(readGuestCookie(vault, forged, now)).toBeNull();
    expect(readGuestCookie(vault, [id, issued, signature].join("."), now)).toBeNull();
  });

  it.each([
    (text: string) => text.slice(0, -1),
    (text: string) => `x${text}`,
    (text: string) => text.replace(/\.[^.]+$/, ""),
    (text: string) => text.replace(/\.(\w+)\./, ".zzzzzz."),
    () => "",
    () => "..",
  ])("are refused after any change", (forge) => {
    expect(readGuestCookie(vault, forge(cookie), now)).toBeNull();
  });

  it("are refused with another key", () => {
    const other = createVault([{ id: "other", key: new Uint8Array(32).fill(2) }]);
    expect(readGuestCookie(other, cookie, now)).toBeNull();
  });

  it("are accepted with an older key of the ring and signed again with the first", () => {
    const older = { id: "test", key: new Uint8Array(32).fill(1) };
    const newer = { id: "newer", key: new Uint8Array(32).fill(2) };
    const later = now + 61_000;
    const read = readGuestCookie(createVault([newer, older]), cookie, later);
    expect(read).toEqual({ ...identity, fresh: false, resigned: expect.any(String) });
    const resigned = read?.resigned ?? "";
    // The cookie signed with the newer key is valid without the older key. It keeps its time of
    // issue, so it does not count as fresh.
    expect(readGuestCookie(createVault([newer]), resigned, later)).toEqual({
      ...identity,
      fresh: false,
      resigned: null,
    });
    expect(readGuestCookie(vault, resigned, later)).toBeNull();
  });
});
