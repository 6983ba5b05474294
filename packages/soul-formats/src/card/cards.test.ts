import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cardNickname,
  exportFormatNames,
  exportSoul,
  newSoulTexts,
  readSoulFile,
  type SoulState,
} from "../index.ts";
import { names, roles } from "../laws.fixture.ts";
import { rawZip } from "../zip/raw-zip.fixture.ts";
import { readZip } from "../zip/read-zip.ts";
import { foreignCard, foreignCharx, foreignPicture } from "./cards.fixture.ts";
import { type PngChunk, plainPicture, readPng, textChunk, toTextChunk, writePng } from "./png.ts";

const read = async (bytes: Uint8Array): Promise<SoulState> => {
  const soul = await readSoulFile(bytes, roles);
  return { ...newSoulTexts(soul), package: soul.package };
};
const edited = (soul: SoulState): SoulState => ({
  ...soul,
  title: "Keeper",
  content: JSON.stringify({
    ...JSON.parse(soul.content),
    "SOUL.md": "Changed.",
    "LORE.md": "Lore.",
  }),
});

describe("law 2: a card that nobody edited is written as it was", () => {
  it("as a JSON file", async () => {
    await fc.assert(
      fc.asyncProperty(foreignCard, async ({ version, text }) => {
        const format = version === 3 ? "card-json" : "card-v2-json";
        const written = await exportSoul(format, await read(Buffer.from(text)), names);
        expect(Buffer.from(written).toString()).toBe(text);
      }),
    );
  });

  it("as a picture", async () => {
    await fc.assert(
      fc.asyncProperty(foreignPicture, async (picture) => {
        const written = await exportSoul("card-png", await read(picture), names);
        expect(Buffer.compare(written, picture)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("as CHARX: the same paths and bytes", async () => {
    const limits = { maxEntries: 100, maxBytes: 2 ** 24 };
    const filesOf = async (bytes: Uint8Array) =>
      new Map(
        (await readZip(bytes, limits)).map((file) => [
          file.path,
          Buffer.from(file.bytes).toString("hex"),
        ]),
      );
    await fc.assert(
      fc.asyncProperty(foreignCharx, async (charx) => {
        const written = await exportSoul("charx", await read(charx), names);
        expect(await filesOf(written)).toEqual(await filesOf(charx));
      }),
      { numRuns: 40 },
    );
  });

  it("keeps every unknown field of an edited card, character for character", async () => {
    await fc.assert(
      fc.asyncProperty(foreignCard, async ({ version, text }) => {
        const format = version === 3 ? "card-json" : "card-v2-json";
        const soul = edited(await read(Buffer.from(text)));
        const written = Buffer.from(await exportSoul(format, soul, names)).toString();
        const unknown = /"unknown_field":(.+?)[,\s]*(?:"|\}\s*,"top")/.exec(text)?.[1] ?? "";
        for (const kept of [
          `"unknown_field":${unknown}`,
          '"alternate_greetings":["Hm?","\\ud83e\\udd8a"]',
        ]) {
          expect(written).toContain(kept);
        }
        expect(newSoulTexts(await readSoulFile(Buffer.from(written), roles))).toEqual(
          (({ package: _, ...texts }) => texts)(soul),
        );
      }),
    );
  });

  it("keeps every chunk of an edited picture but the cards", async () => {
    await fc.assert(
      fc.asyncProperty(foreignPicture, async (picture) => {
        const written = await exportSoul("card-png", edited(await read(picture)), names);
        const isCard = (chunk: ReturnType<typeof readPng>[number]) =>
          /^(?:chara|ccv3)$/i.test(textChunk(chunk)?.keyword ?? "");
        const others = (bytes: Uint8Array) =>
          readPng(bytes)
            .filter((chunk) => !isCard(chunk))
            .map(({ type, data }) => [type, Buffer.from(data).toString("hex")]);
        expect(others(written)).toEqual(others(picture));
        const cards = readPng(written)
          .filter(isCard)
          .map((chunk) => `${chunk.type} ${textChunk(chunk)?.keyword}`);
        expect(cards.sort()).toEqual(["tEXt ccv3", "tEXt chara"]);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a lorebook", () => {
  const entry = (content: string, more: object = {}) => ({
    keys: [],
    content,
    enabled: true,
    ...more,
  });
  const card = (entries: object[]) =>
    Buffer.from(
      JSON.stringify({
        spec: "chara_card_v3",
        spec_version: "3.0",
        data: { name: "Orla", description: "A keeper.", character_book: { entries } },
      }),
    );
  const loreOf = ({ content }: SoulState) =>
    (JSON.parse(content) as Record<string, string>)["LORE.md"];

  it("is one file: constant entries first, then by their order, without decorators", async () => {
    const entries = [
      entry("Second.", { insertion_order: 2 }),
      entry("@@depth 4\n@@@role user\nFirst.", { insertion_order: 1 }),
      entry("Off.", { enabled: false }),
      entry("Always.", { constant: true, insertion_order: 9 }),
    ];
    expect(loreOf(await read(card(entries)))).toBe("Always.\n\nFirst.\n\nSecond.");
  });

  it("takes whole entries up to 24,000 characters, and counts the rest in a warning", async () => {
    const entries = Array.from({ length: 400 }, (_, at) =>
      entry("x".repeat(98), { insertion_order: at }),
    );
    const { warnings, ...soul } = await readSoulFile(card(entries), roles);
    expect(loreOf({ ...newSoulTexts(soul as never), package: [] })).toHaveLength(23_998);
    expect(warnings).toEqual([
      {
        path: "LORE.md",
        message: "leaves out 160 entries of the lorebook, which stay in the card",
      },
    ]);
  });

  it.each([
    ["decorators", "@@depth 4\n"],
    ["more characters than a reader takes", "x".repeat(24_001)],
  ])("that holds %s alone does not stop the export of its soul", async (_, lore) => {
    const content = JSON.stringify({ "LORE.md": lore });
    const imported = { ...(await read(card([entry("Old.")]))), content };
    for (const soul of [imported, { ...imported, package: [] }]) {
      for (const format of ["card-json", "card-v2-json"] as const) {
        const written = await exportSoul(format, soul, names);
        expect((await read(written)).content).toBe(content);
      }
    }
  });

  it("that was edited is one constant entry beside the imported ones, which are off", async () => {
    const soul = await read(card([entry("Old.")]));
    const files = { ...JSON.parse(soul.content), "LORE.md": "New." };
    const written = await exportSoul(
      "card-json",
      { ...soul, content: JSON.stringify(files) },
      names,
    );
    const { entries } = JSON.parse(Buffer.from(written).toString()).data.character_book;
    expect(entries).toMatchObject([
      { content: "Old.", enabled: false },
      { content: "New.", enabled: true, constant: true },
    ]);
  });
});

describe("files under the names of a card that hold none", () => {
  const v3 = (data: object) => JSON.stringify({ spec: "chara_card_v3", data });
  const pictureWith = (...texts: string[]) => {
    const [header, ...rest] = plainPicture();
    const chunks = texts.map((text) => toTextChunk("chara", text));
    return writePng([header as PngChunk, ...chunks, ...rest]);
  };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const jsons = {
    "no JSON": "hello",
    "no card": "{}",
    "a card without data": '{"spec":"chara_card_v3"}',
    "a card without text": v3({ name: "Orla" }),
    "half of a surrogate pair": v3({ name: "Orla", description: "\ud800" }),
  };
  const pictures = {
    "no base64": pictureWith("***"),
    ...Object.fromEntries(
      Object.entries(jsons).map(([name, json]) => [name, pictureWith(base64(json))]),
    ),
  };
  const zips = [
    ...Object.entries(jsons).map(([name, json]) => [name, { "card/card.json": json }] as const),
    ...Object.entries(pictures).map(
      ([name, png]) => [`a picture with ${name}`, { "card/card.png": png }] as const,
    ),
    ...Object.entries(pictures).map(([name, png]) => {
      const card = v3({ name: "Orla", description: "Kind." });
      return [`CHARX, a picture with ${name}`, { "card.json": card, "card.png": png }] as const;
    }),
  ] as const;

  it.each(zips)("do not hinder an export: %s", async (_, files) => {
    const entries = Object.entries({ "SOUL.md": "Be kind.", ...files });
    const soul = await read(rawZip(entries.map(([path, content]) => ({ path, content }))));
    const isCard = "card.json" in files;
    expect(cardNickname(soul.package)).toBe(isCard ? "" : null);
    for (const format of exportFormatNames) {
      const again = await read(await exportSoul(format, soul, names));
      expect(again.content).toBe(soul.content);
    }
  });

  it("a nickname is not cut within a character", () => {
    const bytes = Buffer.from(v3({ nickname: "🦊".repeat(201), description: "Kind." }));
    expect(cardNickname([{ path: "card/card.json", bytes }])).toBe("🦊".repeat(200));
  });
});
