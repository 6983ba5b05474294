import { describe, expect, it } from "vitest";
import { createVault } from "./vault.ts";

const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });
const vault = createVault([key("k1", 1)]);
const SECRET = "sk-a-secret-of-the-tests";
const sealed = vault.seal("provider-key", "7/openai", SECRET);

describe("a sealed secret", () => {
  it("opens with its purpose and owner, and each sealing gives another text", () => {
    expect(vault.open("provider-key", "7/openai", sealed)).toBe(SECRET);
    expect(vault.seal("provider-key", "7/openai", SECRET)).not.toBe(sealed);
    expect(sealed).not.toContain(SECRET);
  });

  it("may be empty", () => {
    expect(vault.open("room-title", "7", vault.seal("room-title", "7", ""))).toBe("");
  });

  it("is the same text again if it is sealed stably, and another for another secret", () => {
    const stable = vault.sealStably("room-person", "7/a", SECRET);
    expect(vault.sealStably("room-person", "7/a", SECRET)).toBe(stable);
    expect(vault.open("room-person", "7/a", stable)).toBe(SECRET);
    const nonces = [
      ["room-person", "7/a", SECRET],
      ["room-person", "7/b", SECRET],
      ["room-person", "7/a", `${SECRET}.`],
      ["another-purpose", "7/a", SECRET],
    ].map(([purpose = "", bind = "", secret = ""]) =>
      vault.sealStably(purpose, bind, secret).split(".").at(2),
    );
    expect(new Set(nonces).size).toBe(nonces.length);
    expect(createVault([key("k1", 2)]).sealStably("room-person", "7/a", SECRET)).not.toBe(stable);
  });

  it.each([
    ["another account", "provider-key", "8/openai"],
    ["another provider", "provider-key", "7/google"],
    ["another purpose", "api-key", "7/openai"],
  ])("is refused for %s", (_, purpose, bind) => {
    expect(() => vault.open(purpose, bind, sealed)).toThrow();
  });

  it("is refused if any one character changes", () => {
    for (let at = 0; at < sealed.length; at++) {
      for (const other of ["A", "_", ".", "="]) {
        if (sealed[at] === other) continue;
        const touched = sealed.slice(0, at) + other + sealed.slice(at + 1);
        expect(() => vault.open("provider-key", "7/openai", touched), touched).toThrow();
      }
    }
  });

  it("is refused if it is truncated or extended", () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => vault.open("provider-key", "7/openai", sealed.slice(0, length))).toThrow();
    }
    for (const more of [".", ".x", "A", "=", "\n", " "]) {
      expect(() => vault.open("provider-key", "7/openai", sealed + more)).toThrow();
    }
  });

  it("is refused without its key, and with another key of the same id", () => {
    expect(() => createVault([key("k2", 2)]).open("provider-key", "7/openai", sealed)).toThrow(
      "not in the ring",
    );
    expect(() => createVault([key("k1", 2)]).open("provider-key", "7/openai", sealed)).toThrow();
  });

  it("opens with any key of the ring; the first key seals", () => {
    const ring = createVault([key("k2", 2), key("k1", 1)]);
    expect(ring.open("provider-key", "7/openai", sealed)).toBe(SECRET);
    const anew = ring.seal("provider-key", "7/openai", SECRET);
    expect(anew).toMatch(/^v1\.k2\./);
    expect(() => vault.open("provider-key", "7/openai", anew)).toThrow("not in the ring");
  });

  it("is resealed unless the first key sealed it, also where an id was reused", () => {
    const reseal = (ring: Parameters<typeof createVault>[0], text = sealed) =>
      createVault(ring).reseal("provider-key", "7/openai", text);
    expect(reseal([key("k1", 1), key("k0", 2)])).toBeNull();
    expect(reseal([key("k2", 2), key("k1", 1)])).toMatch(/^v1\.k2\./);
    const reused = [key("k1", 2), key("k0", 1)];
    expect(createVault(reused).open("provider-key", "7/openai", sealed)).toBe(SECRET);
    const healed = reseal(reused) ?? "";
    expect(createVault([key("k1", 2)]).open("provider-key", "7/openai", healed)).toBe(SECRET);
    expect(() => reseal([key("k1", 2)])).toThrow();
    expect(() => reseal([key("k1", 1)], `${sealed.slice(0, -2)}AA`)).toThrow();
  });
});
