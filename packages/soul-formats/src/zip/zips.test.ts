import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportSoul, newSoulTexts, readSoulFile, type SoulState } from "../index.ts";
import { names, roles } from "../laws.fixture.ts";
import { rawZip } from "./raw-zip.fixture.ts";
import { readZip } from "./read-zip.ts";

const limits = { maxEntries: 600, maxBytes: 2 ** 25 };
const filesOf = async (zip: Uint8Array) =>
  Object.fromEntries(
    (await readZip(zip, limits)).map(({ path, bytes }) => [
      path,
      Buffer.from(bytes).toString("latin1"),
    ]),
  );

const read = async (bytes: Uint8Array): Promise<SoulState> => {
  const soul = await readSoulFile(bytes, roles);
  return { ...newSoulTexts(soul), package: soul.package };
};

const manifest = fc.constantFrom(
  '{ "specVersion": "0.5",\r\n\t"name":"orla", "license":"MIT", "x": 12345678901234567890, "tags":["Sea","b"], "category":"storytelling" }',
  '\ufeff{"displayName":"Orla","author":{"name":"ada","github":"x"},"category":"work/sea","description":"Keeps."}',
  "{}",
  "not JSON",
);
const foreign = fc
  .record({
    main: fc.constantFrom("SOUL.md", "PERSONA.md", "SKILL.md", "notes.txt"),
    text: fc.constantFrom("# Orla\r\n", "\ufeffx", "Be kind. 🦊", "---\nname: x\n---\n\n# Orla"),
    others: fc.subarray(["STYLE.md", "README.md", "a/b.bin", "LICENSE", "my file.md"]),
    manifest: fc.option(manifest),
    top: fc.constantFrom("", "orla/"),
  })
  .map((given) => [
    { path: given.top + given.main, content: given.text },
    ...given.others.map((path) => ({ path: given.top + path, content: `${path}\r\n` })),
    ...(given.manifest === null
      ? []
      : [{ path: `${given.top}soul.json`, content: given.manifest }]),
  ]);

describe("law 2: a package that nobody edited", () => {
  it("has the same paths and bytes; a missing soul.json is added", async () => {
    await fc.assert(
      fc.asyncProperty(foreign, async (entries) => {
        const given = rawZip(entries);
        const written = await filesOf(await exportSoul("zip", await read(given), names));
        const top = entries[0]?.path.startsWith("orla/") ? "orla/".length : 0;
        const expected = Object.fromEntries(
          Object.entries(await filesOf(given)).map(([path, text]) => [path.slice(top), text]),
        );
        const { "soul.json": manifestText, ...others } = written;
        const { "soul.json": given_manifest, ...expectedOthers } = expected;
        expect(others).toEqual(expectedOthers);
        expect(manifestText).toBe(given_manifest ?? manifestText);
      }),
    );
  });

  it("has only the changed values of soul.json replaced after an edit", async () => {
    const text =
      '{ "specVersion": "0.5",\r\n\t"name":"orla", "license":"MIT", "x": 12345678901234567890, "tags":["Sea","b"] }';
    const soul = await read(
      rawZip([
        { path: "SOUL.md", content: "x" },
        { path: "soul.json", content: text },
      ]),
    );
    const written = await filesOf(
      await exportSoul("zip", { ...soul, domain: "lake", role: "storytelling" }, names),
    );
    expect(written["soul.json"]).toBe(
      '{ "specVersion": "0.5",\r\n\t"name":"orla", "license":"MIT", "x": 12345678901234567890, "tags":["lake","b"],"category":"storytelling" }',
    );
  });
});

describe("the meta file of a package", () => {
  const soul: SoulState = {
    title: "Orla",
    description: "d".repeat(300),
    content: '{ "STYLE.md": "Few words.", "SOUL.md": "Be kind." }',
    file_type: "full_soul_folder",
    role: "storytelling",
    domain: "sea",
    compatibility: "claude",
    package: [],
  };
  const withFiles = async (changes: Record<string, string>) => {
    const files = { ...(await filesOf(await exportSoul("zip", soul, names))), ...changes };
    return read(
      rawZip(
        Object.entries(files).map(([path, text]) => ({
          path,
          content: Buffer.from(text, "latin1"),
        })),
      ),
    );
  };

  it("is there only where the other files do not yield the soul", async () => {
    const plain = {
      ...soul,
      description: "Short.",
      compatibility: "any",
      content: "Be kind.",
      file_type: "single_md",
    } as const;
    expect(Object.keys(await filesOf(await exportSoul("zip", plain, names)))).toEqual([
      "SOUL.md",
      "soul.json",
    ]);
    expect(Object.keys(await filesOf(await exportSoul("zip", soul, names)))).toContain(
      ".soul-hub/meta.json",
    );
  });

  it("counts for the files that it names; a file that was changed since counts itself", async () => {
    expect(await withFiles({})).toEqual(soul);
    expect((await withFiles({ "SOUL.md": "Be brief." })).content).toBe(
      '{"SOUL.md":"Be brief.","STYLE.md":"Few words."}',
    );
    expect((await withFiles({ "soul.json": '{"displayName":"Ada"}' })).title).toBe("Ada");
  });
});
