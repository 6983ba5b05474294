import { describe, expect, it } from "vitest";
import { exportSoul, newSoulTexts, readSoulFile } from "../index.ts";
import { names, roles } from "../laws.fixture.ts";
import { rawZip } from "../zip/raw-zip.fixture.ts";
import { cardChunks } from "./cards.fixture.ts";
import { type PngChunk, plainPicture, toTextChunk, writePng } from "./png.ts";

const cardOf = (version: 1 | 2 | 3, data: object, specVersion: unknown = `${version}.0`) =>
  JSON.stringify(
    version === 1 ? data : { spec: `chara_card_v${version}`, spec_version: specVersion, data },
  );
const picture = (...chunks: PngChunk[]) => {
  const [header, ...rest] = plainPicture();
  return writePng([header as PngChunk, ...chunks, ...rest]);
};
const base64 = (text: string) => Buffer.from(text).toString("base64");
const filesOf = ({ content }: { content: string }): Record<string, string> => JSON.parse(content);
const read = async (file: string | Uint8Array) =>
  readSoulFile(typeof file === "string" ? Buffer.from(file) : file, roles);
const orla = { name: "Orla", description: "A keeper." };

describe("a lorebook whose entries are an object keyed by uid", () => {
  const entry = (uid: number, content: string, more: object = {}) => [
    String(uid),
    { uid, key: ["tower"], keysecondary: [], content, order: uid, disable: false, ...more },
  ];
  const book = {
    entries: Object.fromEntries([
      entry(0, "Second.", { order: 2 }),
      entry(1, "First."),
      entry(2, "Off.", { disable: true }),
      entry(7, "Always.", { constant: true, order: 9 }),
    ]),
  };
  const data = { ...orla, character_book: book };
  const v2 = cardOf(2, data);
  const v3 = cardOf(3, data);

  it.each([
    ["card-v2-json", Buffer.from(v2)],
    ["card-json", Buffer.from(v3)],
    ["card-png", picture(toTextChunk("chara", base64(v2)))],
    ["charx", rawZip([{ path: "card.json", content: v3 }])],
  ] as const)("is LORE.md in a file of format %s, which leaves as it was", async (format, file) => {
    const soul = await read(file);
    expect(filesOf(soul)["LORE.md"]).toBe("Always.\n\nFirst.\n\nSecond.");
    expect(soul.warnings).toEqual([]);
    const written = await exportSoul(
      format,
      { ...newSoulTexts(soul), package: soul.package },
      names,
    );
    if (format === "charx") expect((await read(written)).package).toEqual(soul.package);
    else expect(Buffer.compare(written, file)).toBe(0);
  });

  it("has an edited LORE.md as one more entry, and the others disabled", async () => {
    const soul = await read(v2);
    const content = JSON.stringify({ ...filesOf(soul), "LORE.md": "New." });
    const edited = { ...newSoulTexts(soul), content, package: soul.package };
    const written = await exportSoul("card-v2-json", edited, names);
    const { entries } = JSON.parse(Buffer.from(written).toString()).data.character_book;
    expect(Object.values(entries)).toMatchObject([
      { content: "Second.", disable: true },
      { content: "First.", disable: true },
      { content: "Off.", disable: true },
      { uid: 4, content: "New.", disable: false, constant: true },
      { content: "Always.", disable: true },
    ]);
    expect(filesOf(await read(written))["LORE.md"]).toBe("New.");
  });

  it.each([
    ["a text", { entries: "none" }],
    ["a list in place of the lorebook", [{ content: "Lost." }]],
  ])("of another kind gets a warning: %s", async (_, character_book) => {
    const { warnings } = await read(cardOf(3, { ...orla, character_book }));
    const message = "leaves out the lorebook, whose entries are neither a list nor an object";
    expect(warnings).toEqual([{ path: "LORE.md", message }]);
  });

  it("gets a warning for entries without a text", async () => {
    const entries = ["x", { content: 1 }, { content: "Kept." }];
    const soul = await read(cardOf(3, { ...orla, character_book: { entries } }));
    expect(filesOf(soul)["LORE.md"]).toBe("Kept.");
    const message = "leaves out 2 entries of the lorebook without a text, which stay in the card";
    expect(soul.warnings).toEqual([{ path: "LORE.md", message }]);
  });
});

describe("a card in a picture", () => {
  const card = cardOf(3, { ...orla, extensions: { long: "x".repeat(500) } });

  it.each(Object.keys(cardChunks))("is read from %s, by either keyword", async (form) => {
    for (const keyword of ["ccv3", "chara"]) {
      const chunk = cardChunks[form]?.(keyword, card) as PngChunk;
      const soul = await read(picture(chunk));
      expect(newSoulTexts(soul)).toMatchObject({ title: "Orla" });
      expect(soul.warnings).toEqual([]);
    }
  });

  it.each([
    ["base64", "%%%", "is not base64"],
    ["UTF-8", Buffer.from([0xff]).toString("base64"), "is not UTF-8"],
    ["JSON", base64("{"), "is not valid JSON"],
    ["card", base64('{"spec":"x"}'), "is not a character card of version 1, 2 or 3"],
  ])("is read from chara where ccv3 is no %s, with a warning", async (_, broken, fault) => {
    const v2 = cardOf(2, orla);
    const file = picture(toTextChunk("ccv3", broken), toTextChunk("chara", base64(v2)));
    const soul = await read(file);
    expect(soul.fields.title).toBe("Orla");
    const message = `${fault}, so chara is read in its place`;
    expect(soul.warnings).toEqual([{ path: "ccv3", message }]);
    const state = { ...newSoulTexts(soul), package: soul.package };
    expect(Buffer.compare(await exportSoul("card-png", state, names), file)).toBe(0);
  });

  it("that nothing can be read from is refused by the name of its chunk", async () => {
    const file = picture(toTextChunk("Ccv3", "%%%"), toTextChunk("chara", base64("{}")));
    await expect(read(file)).rejects.toMatchObject({ at: "ccv3", message: "is not base64" });
  });
});

describe("a card's name", () => {
  it.each(["\n", "\r\n", "\t", "\u2028", " \u00a0 "])("has %j as one blank", async (space) => {
    const { fields, warnings } = await read(cardOf(3, { ...orla, name: `Mira${space}Vale\n` }));
    expect(fields.title).toBe("Mira Vale");
    expect(warnings).toEqual([]);
  });

  it("that an older release kept as several lines is no edit", async () => {
    const file = cardOf(3, { ...orla, name: "Mira\nVale" });
    const soul = await read(file);
    const state = { ...newSoulTexts(soul), title: "Mira\nVale", package: soul.package };
    expect(Buffer.from(await exportSoul("card-json", state, names)).toString()).toBe(file);
  });

  it.each([undefined, null, "", " \n", 7])("that is %j gets a warning", async (name) => {
    const { warnings } = await read(cardOf(2, { ...orla, name }));
    const message = "has no name; a new soul is called “Imported character”";
    expect(warnings).toContainEqual({ path: "", message });
  });

  it("that loses a character gets a warning", async () => {
    const { fields, warnings } = await read(cardOf(2, { ...orla, name: "Or\0la" }));
    expect(fields.title).toBe("Orla");
    const message = "has a title with a NUL or half of a surrogate pair, which is left out";
    expect(warnings).toEqual([{ path: "", message }]);
  });
});

describe("a card that says more than an import reads gets a warning", () => {
  const unknown = (version: string) => `is of version ${version}, which this hub does not know`;

  it.each<[string, string, string | null]>([
    ["V3 of version 3.0", cardOf(3, orla, "3.0"), null],
    ["V3 of version 3.9", cardOf(3, orla, "3.9"), unknown("3.9")],
    ["V3 of version 3.10", cardOf(3, orla, "3.10"), unknown("3.10")],
    ["V3 whose version is a number", cardOf(3, orla, 3.9), unknown("3.9")],
    ["V3 whose version is a word", cardOf(3, orla, "next"), unknown("next")],
    ["V2 of version 2.1", cardOf(2, orla, "2.1"), unknown("2.1")],
    ["a later specification", cardOf(3, orla).replace("card_v3", "card_v4"), unknown("4")],
    [
      "a field that is no text",
      cardOf(3, { ...orla, first_mes: ["Hello."] }),
      "has a field first_mes that is no text, and stays in the card",
    ],
    [
      "V1 with fields of another program",
      cardOf(1, { ...orla, persona: { text: "Kind." }, greeting: "Hello.", avatar: "" }),
      "has fields that only stay in the card: persona, greeting",
    ],
  ])("%s", async (_, card, message) => {
    const { fields, warnings } = await read(card);
    expect(fields.title).toBe("Orla");
    expect(warnings).toEqual(message ? [{ path: "", message }] : []);
  });
});
