import { type PngChunk, plainPicture, toTextChunk, writePng } from "./card/png.ts";
import { sha256 } from "./text.ts";
import { rawZip } from "./zip/raw-zip.fixture.ts";

const MB = 1024 * 1024;
const [header, data, end] = plainPicture() as [PngChunk, PngChunk, PngChunk];
const picture = (...chunks: PngChunk[]) => writePng([header, ...chunks, data, end]);
const many = <Value>(count: number, make: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));
const card = (fields: string) =>
  `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Orla",${fields}}}`;
const protoMembers = (count: number) => many(count, () => '"__proto__":{"a":1}').join();
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
const soulMd = { path: "SOUL.md", content: "Be kind." };

/** Files of many megabytes that no import may take, and that would take long to read. */
export const hostileLargeFiles: Readonly<Record<string, () => Buffer>> = {
  "a bomb behind a JPEG": () =>
    Buffer.concat([jpeg, rawZip([{ path: "card.json", content: Buffer.alloc(200 * MB) }])]),
  "a bomb whose files fit one by one": () =>
    rawZip(many(20, (at) => ({ path: `${at}.md`, content: Buffer.alloc(16 * MB, "x") }))),
  "a bomb of text that claims to fit": () =>
    rawZip([{ ...soulMd, content: Buffer.alloc(200 * MB, "x"), claimedSize: 15 * MB }]),
  "content of 16 MB in a zip": () =>
    rawZip([{ ...soulMd, content: Buffer.alloc(16 * MB, "- # [x](") }]),
  "a soul.json of 16 MB": () =>
    rawZip([
      { ...soulMd, content: Buffer.alloc(300_000, "x") },
      { path: "soul.json", content: `{"a":[${"[],".repeat(4 * MB - 100)}1]}` },
    ]),
  "a card of 16 MB in a CHARX": () =>
    rawZip([{ path: "card.json", content: Buffer.alloc(16 * MB, card('"description":"x"')) }]),
  "500 cards in a zip": () =>
    rawZip(many(500, (at) => ({ path: `${at}.json`, content: card('"description":"x"') }))),
  "500 pictures in a zip": () =>
    rawZip(many(500, (at) => ({ path: `${at}.png`, content: picture() }))),
  "1,061 folders": () => rawZip([soulMd, ...many(1_061, (at) => ({ path: `${at}/`, method: 0 }))]),
  "names that differ by their case": () =>
    rawZip(many(400, (at) => ({ path: `${"aA"[at % 2]}/${at >> 1}`, content: "x" }))),
  "a picture of 16 MB of small chunks": () =>
    picture(...many(9_990, () => toTextChunk("Comment", "x".repeat(1_600)))),
  "a picture with a wrong checksum at its end": () => {
    const bytes = picture({ type: "prVt", data: Buffer.alloc(15 * MB) });
    bytes.writeUInt8(0, bytes.length - 1);
    return bytes;
  },
  "a picture with many broken cards": () =>
    picture(...many(2_000, () => toTextChunk("chara", "e30=".repeat(1_500)))),
  "base64 of 15 MB in a picture": () =>
    picture(toTextChunk("ccv3", "e30=".repeat(4 * MB - 10_000))),
  "__proto__ 60,000 times": () => Buffer.from(card(`"description":"",${protoMembers(60_000)}`)),
  "__proto__ in 16 MB of JSON": () =>
    Buffer.from(`{"__proto__":{"name":"x","description":"y"},${protoMembers(800_000)}}`),
  "__proto__ in each of 40,000 entries": () =>
    Buffer.from(
      card(
        `"description":"","character_book":{"entries":[${many(40_000, () => '{"__proto__":1}').join()}]}`,
      ),
    ),
  "JSON of 16 MB of brackets": () => Buffer.from(`{"a":${"[".repeat(16 * MB - 10)}`),
  "JSON of one text of 16 MB": () => Buffer.from(`{"a":"${"\\u0061".repeat(2 * MB)}"}`),
  "a folder of one text of 15 MB": () => Buffer.from(`{"a.md":"${"\\u0061".repeat(2.5 * MB)}"}`),
  "a meta file with content of 15 MB": () =>
    rawZip([
      soulMd,
      {
        path: ".soul-hub/meta.json",
        content: JSON.stringify({
          v: 1,
          files: { "SOUL.md": sha256(soulMd.content) },
          contents: [["a.md", "SOUL.md"]],
          file_type: "full_soul_folder",
          content: JSON.stringify({ "a.md": "x".repeat(15 * MB) }),
        }),
      },
    ]),
  "Markdown of 16 MB": () => Buffer.alloc(16 * MB, "# Orla\n\n- be [kind](x)\n"),
  "front matter of 16 MB": () =>
    Buffer.concat([Buffer.from("---\n"), Buffer.alloc(15 * MB, "- \n")]),
  "fences of 16 MB": () =>
    Buffer.from(
      many(
        200_000,
        (at) => `<!-- BEGIN FILE 123456 f${at}.md -->\nx\n<!-- END FILE 123456 -->\n`,
      ).join(""),
    ),
};
