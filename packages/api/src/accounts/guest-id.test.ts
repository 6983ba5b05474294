import { describe, expect, it } from "vitest";
import { createVault } from "../vault.ts";
import { addressBlock, issueGuestCookie, readGuestCookie } from "./guest-id.ts";

const vault = createVault([{ id: "test", key: new Uint8Array(32).fill(1) }]);

describe("a guest's address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:5555", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("%s stands for %s", (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});

describe("a guest's cookie", () => {
  const now = 1_800_000_000_000;
  const { id, value: cookie } = issueGuestCookie(vault, now);

  it("is read as it was issued, fresh for a minute", () => {
    expect(readGuestCookie(vault, cookie, now)).toEqual({ id, fresh: true, resigned: null });
    expect(readGuestCookie(vault, cookie, now + 61_000)?.fresh).toBe(false);
  });

  it.each([
    (text: string) => text.slice(0, -1),
    (text: string) => `x${text}`,
    (text: string) => text.replace(/\.[^.]+$/, ""),
    (text: string) => text.replace(/\.(\w+)\./, ".zzzzzz."),
    () => "",
    () => "..",
  ])("is refused when it is not one of ours", (forge) => {
    expect(readGuestCookie(vault, forge(cookie), now)).toBeNull();
  });

  it("is read again as it was read first", () => {
    expect(readGuestCookie(vault, cookie, now)).toEqual(readGuestCookie(vault, cookie, now));
    expect(readGuestCookie(vault, cookie, now + 61_000)?.fresh).toBe(false);
  });

  it("is refused under another key", () => {
    const other = createVault([{ id: "other", key: new Uint8Array(32).fill(2) }]);
    expect(readGuestCookie(other, cookie, now)).toBeNull();
  });

  it("is good under an older key of the ring, and signed anew with the first", () => {
    const older = { id: "test", key: new Uint8Array(32).fill(1) };
    const newer = { id: "newer", key: new Uint8Array(32).fill(2) };
    const later = now + 61_000;
    const read = readGuestCookie(createVault([newer, older]), cookie, later);
    expect(read).toEqual({ id, fresh: false, resigned: expect.any(String) });
    const resigned = read?.resigned ?? "";
    // Once the older key is gone as well, and still not taken for a new guest's.
    expect(readGuestCookie(createVault([newer]), resigned, later)).toEqual({
      id,
      fresh: false,
      resigned: null,
    });
    expect(readGuestCookie(vault, resigned, later)).toBeNull();
  });
});
