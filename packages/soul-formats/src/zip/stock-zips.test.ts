import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { plainPicture, toTextChunk, writePng } from "../card/png.ts";
import { exportSoul, newSoulTexts, readSoulFile, type SoulState } from "../index.ts";
import { names, roles } from "../laws.fixture.ts";
import { type RawEntry, rawZip } from "./raw-zip.fixture.ts";
import { readZip } from "./read-zip.ts";
import { stockZips } from "./stock-zips.fixture.ts";

const forms = Object.entries(stockZips);
const limits = { maxEntries: 2_000, maxBytes: 2 ** 25 };

const read = async (bytes: Uint8Array): Promise<SoulState> => {
  const soul = await readSoulFile(bytes, roles);
  return { ...newSoulTexts(soul), package: soul.package };
};

const isOfMacos = (path: string) => /\.DS_Store$|__MACOSX\//.test(path);

const comparable = ({ package: files, ...texts }: SoulState) => ({
  ...texts,
  package: files
    .filter(({ path }) => !isOfMacos(path))
    .map(({ path, bytes }) => [path, Buffer.from(bytes).toString("latin1")])
    .sort(),
});

describe("an export that was unpacked and packed again", () => {
  const soul: SoulState = {
    title: "Orla",
    description: "d".repeat(300),
    content: '{"SOUL.md":"Be kind.","README.md":"About."}',
    file_type: "full_soul_folder",
    role: "storytelling",
    domain: "sea",
    compatibility: "claude",
    package: ["card/a/b/c/d/e/f/g/h.png", "notes/日本語.txt", "café.md/x", "art/face.png"].map(
      (path) => ({ path, bytes: Buffer.from(path) }),
    ),
  };

  it.each(forms)("is the same soul: %s", async (_, pack) => {
    const files = await readZip(await exportSoul("zip", soul, names), limits);
    expect(comparable(await read(pack(files)))).toEqual(comparable(soul));
  });

  it.each(forms)("is the same soul as CHARX: %s", async (_, pack) => {
    const files = await readZip(await exportSoul("charx", soul, names), limits);
    const again = await readSoulFile(pack(files), roles);
    expect(again).toMatchObject({
      format: "charx",
      content: soul.content,
      fields: { title: "Orla" },
    });
  });

  it.each(forms)("may be as large as a soul can be: %s", async (_, pack) => {
    const many = Array.from({ length: 480 }, (_, nth) => ({
      path: `art/${nth}/face.png`,
      bytes: Buffer.from(String(nth)),
    }));
    const files = await readZip(await exportSoul("zip", { ...soul, package: many }, names), limits);
    expect((await read(pack(files))).package.filter(({ path }) => !isOfMacos(path))).toHaveLength(
      480,
    );
  });
});

describe("the name of an entry", () => {
  const namesOf = async (...entries: RawEntry[]) => {
    const main = { path: "SOUL.md", content: "Be kind." };
    const soul = await readSoulFile(rawZip([main, ...entries]), roles);
    return { paths: soul.package.map(({ path }) => path), warnings: soul.warnings };
  };
  /** Info-ZIP's field for a Unicode path (APPNOTE 4.6.9). */
  const unicodePath = (raw: Buffer, name: string | Buffer, sum = crc32(raw)) => {
    const field = Buffer.from(name as string);
    const head = Buffer.alloc(9);
    head.writeUInt16LE(0x7075);
    head.writeUInt16LE(field.length + 5, 2);
    head.writeUInt8(1, 4);
    head.writeUInt32LE(sum, 5);
    return Buffer.concat([head, field]);
  };
  const cp437 = Buffer.from([0x6e, 0x2f, 0x82, 0x2e, 0x70, 0x6e, 0x67]);
  const guessed = {
    paths: ["n/é.png"],
    warnings: [{ path: "n/é.png", message: "has a name that is not UTF-8, and was read as CP437" }],
  };

  it("is UTF-8 where its bytes are, whatever the flag says", async () => {
    const entry = { path: "notes/日本語.txt", content: "x", isMarkedUtf8: false };
    expect(await namesOf(entry)).toEqual({ paths: ["notes/日本語.txt"], warnings: [] });
  });

  it("is that of Info-ZIP's field, where the checksum fits and the field is UTF-8", async () => {
    const entry = { path: cp437, content: "x", isMarkedUtf8: false };
    const named = await namesOf({ ...entry, extra: unicodePath(cp437, "n/日.png") });
    expect(named).toEqual({ paths: ["n/日.png"], warnings: [] });
    expect(await namesOf({ ...entry, extra: unicodePath(cp437, "n/日.png", 1) })).toEqual(guessed);
    const broken = unicodePath(cp437, Buffer.from([0x6e, 0xff]));
    expect(await namesOf({ ...entry, extra: broken })).toEqual(guessed);
  });

  it("is CP437 otherwise, with a warning", async () => {
    expect(await namesOf({ path: cp437, content: "x" })).toEqual(guessed);
  });

  it.each(["../x", "a\\b", "/etc/passwd", "C:/x", "soul.md", "a\0b"])(
    "is checked as it is decoded: %j",
    async (name) => {
      const raw = Buffer.from("harmless.png");
      const entry = { path: raw, content: "x", extra: unicodePath(raw, name) };
      await expect(namesOf(entry)).rejects.toThrow(/path|drive|twice/);
    },
  );
});

describe("a skill in a zip of its folder", () => {
  const text = "---\nname: lamp\ndescription: Lights lamps.\n---\n\n# Lamp\n\nLight it.\n";
  const skill = { path: "lamp/SKILL.md", content: text };

  it("is read as its file alone is", async () => {
    const alone = newSoulTexts(await readSoulFile(Buffer.from(text), roles));
    expect(alone).toMatchObject({ title: "Lamp", description: "Lights lamps." });
    const zipped = await readSoulFile(rawZip([skill]), roles);
    expect(newSoulTexts(zipped)).toEqual(alone);
    expect(zipped.warnings).toEqual([]);
  });

  it("has the warning of front matter that cannot be read", async () => {
    const content = "---\nname: lamp\n\n# Lamp\n";
    const { warnings } = await readSoulFile(rawZip([{ ...skill, content }]), roles);
    const message = "begins like front matter that cannot be read, and stays part of the text";
    expect(warnings).toEqual([{ path: "SKILL.md", message }]);
  });

  it("has its front matter again in an export, also after an edit", async () => {
    const others = { path: "lamp/reference.md", content: "# Reference" };
    for (const entries of [[skill], [skill, others]]) {
      const soul = await read(rawZip(entries));
      expect(soul.description).toBe("Lights lamps.");
      const filesOf = async (state: SoulState) => {
        const files = await readZip(await exportSoul("zip", state, names), limits);
        return Object.fromEntries(files.map(({ path, bytes }) => [path, bytes.toString()]));
      };
      expect(Object.keys(await filesOf(soul)).sort()).toEqual(
        [...entries.map(({ path }) => path.slice("lamp/".length)), "soul.json"].sort(),
      );
      expect((await filesOf(soul))["SKILL.md"]).toBe(text);
      const edited = { ...soul, content: soul.content.replace("Light it", "Snuff it") };
      const written = await filesOf(edited);
      expect(written["SKILL.md"]).toBe(text.replace("Light it", "Snuff it"));
      expect(await read(await exportSoul("zip", edited, names))).toEqual(edited);
    }
  });
});

describe("a card in another file", () => {
  const cardOf = (name: string, spec = "chara_card_v3") =>
    JSON.stringify({ spec, spec_version: "3.0", data: { name, description: "Be kind." } });
  const json = Buffer.from(cardOf("Orla"));
  const png = writePng(
    plainPicture().toSpliced(1, 0, toTextChunk("ccv3", json.toString("base64"))),
  );
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0xff, 0xd9]);
  const charx = rawZip([
    { path: "card.json", content: json },
    { path: "assets/face.png", content: "x" },
  ]);
  /** The same zip with offsets from the beginning of the picture. */
  function shifted(): Buffer {
    const zip = Buffer.from(charx);
    const end = zip.length - 22;
    const directory = zip.readUInt32LE(end + 16);
    for (let at = directory; at < end; at += 46 + zip.readUInt16LE(at + 28)) {
      zip.writeUInt32LE(zip.readUInt32LE(at + 42) + jpeg.length, at + 42);
    }
    zip.writeUInt32LE(directory + jpeg.length, end + 16);
    return zip;
  }

  it.each<[string, Buffer, string, string[]]>([
    [
      "a zip of one PNG",
      rawZip([{ path: "Orla/orla.png", content: png }, { path: "Orla/README.md" }]),
      "card-png",
      ["card/card.png", "imported/original.zip"],
    ],
    [
      "a zip of one JSON",
      rawZip([
        { path: "orla.json", content: json },
        { path: "other.png", content: "x" },
      ]),
      "card-json",
      ["card/card.json", "imported/original.zip"],
    ],
    [
      "a zip of one card and a JSON that is none",
      rawZip([
        { path: "orla.png", content: png },
        { path: "package.json", content: '{"name":"x","description":"y"}' },
      ]),
      "card-png",
      ["card/card.png", "imported/original.zip"],
    ],
    [
      "a JPEG with a CHARX behind it",
      Buffer.concat([jpeg, charx]),
      "charx",
      ["card/card.json", "card/assets/face.png", "imported/original.jpg"],
    ],
    [
      "a JPEG with a CHARX whose offsets count from the picture",
      Buffer.concat([jpeg, shifted()]),
      "charx",
      ["card/card.json", "card/assets/face.png", "imported/original.jpg"],
    ],
  ])("is taken, and the other file kept: %s", async (_, bytes, format, paths) => {
    const soul = await readSoulFile(bytes, roles);
    expect(soul).toMatchObject({ format, fields: { title: "Orla" } });
    const message = "stays only in imported/original.zip";
    expect(soul.warnings.filter((warning) => warning.message !== message)).toEqual([]);
    expect(soul.package.map(({ path }) => path)).toEqual(paths);
    expect(Buffer.compare(soul.package.at(-1)?.bytes ?? jpeg, bytes)).toBe(0);
    const kept = await read(bytes);
    const again = await read(await exportSoul("zip", kept, names));
    expect(comparable(again)).toEqual(comparable(kept));
  });

  it.each<[string, Buffer | string]>([
    ["mira.png", png],
    ["mira.json", json],
    ["mira.json", '{"name":"Orla","description":"Be kind.","first_mes":"","scenario":""}'],
  ])("is taken beside texts, each of them with a warning: %s %#", async (path, content) => {
    const texts = ["credits.txt", "INFO.md"].map((name) => ({ path: name, content: "x" }));
    const soul = await readSoulFile(rawZip([...texts, { path, content }]), roles);
    expect(soul.fields.title).toBe("Orla");
    expect(soul.content).toBe('{"SOUL.md":"Be kind."}');
    const message = "stays only in imported/original.zip";
    expect(soul.warnings).toEqual(texts.map((file) => ({ path: file.path, message })));
  });

  it.each(["SOUL.md", "SKILL.md", "soul.json", ".soul-hub/meta.json"])(
    "is a file like any other beside %s",
    async (path) => {
      const entries = [path, "notes.md"].map((name) => ({ path: name, content: "{}" }));
      const soul = await readSoulFile(rawZip([...entries, { path: "o.png", content: png }]), roles);
      expect(soul.format).toBe("zip");
    },
  );

  it.each<[string, Buffer | string, string]>([
    ["b.png", png.subarray(0, -20), "chunk 3 is cut off"],
    [
      "b.png",
      writePng(plainPicture().toSpliced(1, 0, toTextChunk("chara", "%"))),
      "chara is not base64",
    ],
    ["b.json", cardOf("Mira").slice(0, -1), "is not valid JSON"],
    ["b.json", Buffer.from(cardOf("Mir\u00e9"), "latin1"), "is not UTF-8"],
    ["b.json", '{"spec":"chara_card_v2"}', "has no `data`"],
  ])("has a warning of another that cannot be read: %s %#", async (path, content, fault) => {
    const entries = [
      { path: "a.png", content: png },
      { path, content },
    ];
    const soul = await readSoulFile(rawZip(entries), roles);
    expect(soul.fields.title).toBe("Orla");
    expect(soul.warnings).toContainEqual({ path, message: `looks like a card, but ${fault}` });
  });

  it("is taken without the other file where both do not fit", async () => {
    const bytes = Buffer.alloc(9 * 1024 * 1024, "x");
    const large = rawZip([
      { path: "card.json", content: json },
      { path: "face.png", content: bytes, method: 0 },
    ]);
    const chunks = [toTextChunk("ccv3", json.toString("base64")), { type: "prVt", data: bytes }];
    const picture = writePng(plainPicture().toSpliced(1, 0, ...chunks));
    for (const [file, path] of [
      [Buffer.concat([jpeg, large]), "imported/original.jpg"],
      [rawZip([{ path: "orla.png", content: picture, method: 0 }]), "imported/original.zip"],
    ] as const) {
      const soul = await readSoulFile(file, roles);
      expect(soul.fields.title).toBe("Orla");
      expect(soul.package.map((kept) => kept.path)).not.toContain(path);
      const message = "is left out: with it, the soul has more than 16 MiB beside its content";
      expect(soul.warnings).toEqual([{ path, message }]);
    }
  });

  it("leaves byte for byte as a picture", async () => {
    const soul = await read(rawZip([{ path: "orla.png", content: png }]));
    expect(Buffer.compare(await exportSoul("card-png", soul, names), png)).toBe(0);
  });

  it.each<[string, Buffer, string]>([
    [
      "several cards",
      rawZip([
        { path: "orla.png", content: png },
        { path: "mira.json", content: cardOf("Mira", "chara_card_v2") },
      ]),
      "orla.png, mira.json",
    ],
    ["a JPEG alone", jpeg, "a JPEG without a character card"],
    [
      "a JPEG with another zip behind it",
      Buffer.concat([jpeg, rawZip([{ path: "SOUL.md", content: "x" }])]),
      "a JPEG without a character card",
    ],
  ])("is refused: %s", async (_, bytes, message) => {
    await expect(readSoulFile(bytes, roles)).rejects.toThrow(message);
  });
});
