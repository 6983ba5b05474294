import { describe, expect, it } from "vitest";
import { hostileCards } from "./card/hostile-cards.fixture.ts";
import { type PngChunk, plainPicture, toTextChunk, writePng } from "./card/png.ts";
import {
  cardNickname,
  exportFormatNames,
  exportSoul,
  FormatError,
  newSoulTexts,
  readSoulFile,
} from "./index.ts";
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
    ["a heading with a long run of spaces", Buffer.from(`# a${" ".repeat(19_000)}b`)],
    ["a heading with many closing signs", Buffer.from(`# a${" #".repeat(9_000)}b`)],
    ["a heading of spaces", Buffer.from(`# a${" ".repeat(20_000)}b`)],
    ["front matter that nests", Buffer.from(`---\na: ${"[".repeat(15_000)}\n*\n---\n`)],
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

  it("is refused where the folder has a file of the same path as one beside it", async () => {
    const entries = ["orla/SOUL.md", "orla/__MACOSX/a", "__MACOSX/A"];
    await expect(read(entries.map((path) => ({ path, content: "x" })))).rejects.toThrow(
      "is there twice",
    );
  });

  it("has its first heading as title, cut to what a title may have", async () => {
    const soul = await read([{ path: "SOUL.md", content: `# ${"🦊".repeat(121)} ##\n` }]);
    expect(soul.title).toBe("🦊".repeat(120));
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

describe("a soul from a strange file", () => {
  const soulMd = { path: "SOUL.md", content: "Be kind." };
  const names = { slug: "x", author: "ada", version: "1.0.0", id: 1, roles };
  const v3 = (data: object) => JSON.stringify({ spec: "chara_card_v3", spec_version: "3.0", data });
  const orla = v3({ name: "Orla", description: "x" });
  const [header, data, end] = plainPicture() as [PngChunk, PngChunk, PngChunk];
  const picture = (cards: Record<string, string>, more: Record<string, string> = {}) =>
    writePng([
      header,
      ...[...Object.entries(cards), ...Object.entries(more)].map(([keyword, text]) =>
        toTextChunk(keyword, Buffer.from(text).toString("base64")),
      ),
      data,
      end,
    ]);
  const withFile = (path: string, content: string | Buffer) => rawZip([soulMd, { path, content }]);
  const folder = (files: object) => ({
    content: JSON.stringify(files),
    file_type: "full_soul_folder" as const,
  });

  it.each<[string, Buffer, object?]>([
    ["a card without data", withFile("card/card.json", '{"spec":"chara_card_v3"}')],
    ["a card without text", withFile("card/card.json", v3({ name: "x" }))],
    ["a card with NUL", withFile("card/card.json", v3({ description: "a\0b" }))],
    ["a picture without a card", withFile("card/card.png", picture({ ccv3: "hello" }))],
    ["a picture whose V2 is broken", picture({ chara: "hello", ccv3: orla }), { title: "New" }],
    ["the hub's own file", rawZip([{ ...soulMd, path: "a.md" }, { path: ".soul-hub/main-file" }])],
    ["Soul.json", withFile("Soul.json", "{}")],
    ["a folder soul.json", withFile("soul.json/x", "{}")],
    [
      "a taken place of a content file",
      rawZip([soulMd, { path: "README.md" }, { path: ".soul-hub/content/2" }]),
      folder({ "SOUL.md": "a", "README.md": "b" }),
    ],
    [
      "a folder that is named like a content file",
      withFile("notes.md/x", "x"),
      folder({ "SOUL.md": "a", "notes.md": "b" }),
    ],
    ["a long heading", rawZip([{ ...soulMd, content: `# ${"🦊".repeat(130)}` }])],
    ["NUL in a nickname", Buffer.from(v3({ nickname: "a\0b\ud800", description: "x" }))],
    ["NUL in front matter", Buffer.from('---\nname: "a\\0b\\ud800"\n---\nx')],
  ])("leaves in every format: %s", async (_, bytes, edit = {}) => {
    const read = await readSoulFile(bytes, roles);
    const soul = { ...newSoulTexts(read), package: read.package, ...edit };
    expect(Array.from(soul.title).length).toBeLessThanOrEqual(120);
    expect(soul.title.isWellFormed() && !soul.title.includes("\0")).toBe(true);
    expect(new Set(soul.package.map(({ path }) => path)).size).toBe(soul.package.length);
    cardNickname(soul.package);
    for (const format of exportFormatNames) {
      const again = await readSoulFile(await exportSoul(format, soul, names), roles);
      expect(newSoulTexts(again).content).toBe(soul.content);
    }
  });

  it("is read from the first of two cards in a picture", async () => {
    const second = v3({ name: "Second", description: "x" });
    const read = await readSoulFile(picture({ ccv3: orla }, { ccv3: second }), roles);
    expect(newSoulTexts(read).title).toBe("Orla");
  });

  it.each([
    ["a file in place of the hub's folder", withFile(".soul-hub", "x")],
    ["the hub's folder in another case", withFile(".Soul-Hub/meta.json", "{}")],
    ["a file below the meta file", withFile(".soul-hub/meta.json/x", "{}")],
    [
      "two files that meet where the top folder is stripped",
      rawZip([
        { path: "a/SOUL.md", content: "x" },
        { path: "a/__MACOSX/x", content: "x" },
        { path: "__MACOSX/x", content: "x" },
      ]),
    ],
  ])("is refused: %s", async (_, bytes) => {
    await expect(readSoulFile(bytes, roles)).rejects.toThrow(FormatError);
  });
});
