import { describe, expect, it } from "vitest";
import { hostileCards } from "./card/hostile-cards.fixture.ts";
import { FormatError, newSoulTexts, readSoulFile } from "./index.ts";
import { roles } from "./laws.fixture.ts";
import { hostileZips, rawZip } from "./zip/raw-zip.fixture.ts";

describe("a hostile file is refused", () => {
  it.each(Object.entries({ ...hostileZips, ...hostileCards }))("%s", async (_, bytes) => {
    await expect(readSoulFile(bytes(), roles)).rejects.toThrow(FormatError);
  });

  it("and __proto__ changes no prototype", async () => {
    const text =
      '{"name":"Orla","description":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const soul = await readSoulFile(Buffer.from(text), roles);
    expect(newSoulTexts(soul).content).toBe('{"SOUL.md":"x"}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("a file that takes long to read", () => {
  const lines = (count: number, line: (at: number) => string) =>
    Buffer.from(Array.from({ length: count }, (_, at) => line(at)).join(""));

  it.each([
    [
      "more fences than files",
      lines(200_000, (at) => `<!-- BEGIN FILE 123456 f${at}.md -->\nx\n<!-- END FILE 123456 -->\n`),
    ],
    ["front matter of many keys", lines(4_000, (at) => (at === 0 ? "---\n" : `k${at}: 1\n`))],
    [
      "front matter of 16 MB",
      Buffer.concat([Buffer.from("---\n"), lines(4_000_000, () => "- \n")]),
    ],
    ["front matter that nests", Buffer.from(`---\na: ${"[".repeat(15_000)}\n---\n`)],
  ])("is a Markdown as it is: %s", async (_, bytes) => {
    const soul = await readSoulFile(bytes, roles);
    expect(soul.content).toBe(bytes.toString());
  });
});

describe("a zip", () => {
  const read = async (entries: Parameters<typeof rawZip>[0]) => {
    const soul = await readSoulFile(rawZip(entries), roles);
    return {
      ...newSoulTexts(soul),
      kept: soul.package.map(({ path }) => path),
      warnings: soul.warnings,
    };
  };

  it("loses the one folder around everything, also where macOS adds its own", async () => {
    const soul = await read([
      { path: "orla/", method: 0 },
      { path: "orla/SOUL.md", content: "# Orla" },
      { path: "orla/art/face.png", content: "x" },
      { path: "__MACOSX/orla/._SOUL.md", content: "x" },
    ]);
    expect(soul).toMatchObject({
      title: "Orla",
      content: "# Orla",
      file_type: "single_md",
      kept: ["art/face.png", "__MACOSX/orla/._SOUL.md"],
    });
  });

  it("has its texts at the root as content, and everything else beside it", async () => {
    const soul = await read([
      { path: "README.md", content: "About." },
      { path: "LICENSE.txt", content: "MIT" },
      { path: "SOUL.md", content: "Be kind." },
      { path: "STYLE.md", content: "Few words." },
      { path: "my notes.md", content: "A name with a space." },
      { path: "bytes.md", content: Buffer.from([0xff]) },
      { path: "inner.zip", content: rawZip([{ path: "../x", content: "x" }]) },
    ]);
    expect(soul.content).toBe('{"SOUL.md":"Be kind.","STYLE.md":"Few words."}');
    expect(soul.kept).toEqual(["README.md", "LICENSE.txt", "my notes.md", "bytes.md", "inner.zip"]);
    expect(soul.warnings).toEqual([
      { path: "bytes.md", message: "is not UTF-8 text and stays in the package" },
    ]);
  });

  it("has its title, category and tag in soul.json", async () => {
    const manifest = {
      specVersion: "0.9",
      name: "orla",
      displayName: "Orla",
      category: "storytelling",
      tags: ["Sea", "x"],
      description: "d".repeat(2_001),
    };
    const soul = await read([
      { path: "SOUL.md", content: "# Keeper" },
      { path: "soul.json", content: JSON.stringify(manifest) },
    ]);
    expect(soul).toMatchObject({ title: "Orla", role: "storytelling", domain: "sea" });
    expect(soul.description).toHaveLength(2_000);
    expect(soul.warnings.map(({ message }) => message)).toEqual([
      "is of Soul Spec 0.9; this hub knows 0.3 to 0.6",
      "has a description of more than 2000 characters, which is cut",
    ]);
  });
});
