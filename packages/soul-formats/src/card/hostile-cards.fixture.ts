import { deflateSync } from "node:zlib";
import { type PngChunk, plainPicture, toTextChunk, writePng } from "./png.ts";

const [header, data, end] = plainPicture() as [PngChunk, PngChunk, PngChunk];
const picture = (...chunks: PngChunk[]) => writePng([header, ...chunks, data, end]);
const base64 = (text: string | Buffer) => Buffer.from(text as string).toString("base64");
const card = (text: string) => picture(toTextChunk("ccv3", base64(text)));
const v3 = (fields: string) => `{"spec":"chara_card_v3","spec_version":"3.0","data":{${fields}}}`;

const good = v3('"name":"Orla","description":"x"');
const compressed = (type: string, head: string, text: Buffer) =>
  picture({ type, data: Buffer.concat([Buffer.from(head, "latin1"), deflateSync(text)]) });

function broken(): Buffer {
  const bytes = card(good);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  return bytes;
}

/** Pictures and cards that no import may take, by what is wrong with them. */
export const hostileCards: Readonly<Record<string, () => Buffer>> = {
  "a picture without a card": () => picture(),
  "a wrong checksum": broken,
  "a picture that is cut off": () => card(good).subarray(0, -20),
  "10,001 chunks": () =>
    picture(...Array.from({ length: 10_001 }, () => toTextChunk("Comment", "x"))),
  "a card that is not base64": () => picture(toTextChunk("chara", "%%%")),
  "base64 of a wrong length": () => picture(toTextChunk("chara", `${base64(good)}A`)),
  "a card that is not UTF-8": () =>
    picture(toTextChunk("chara", base64(Buffer.from([0xff, 0xfe])))),
  "a card of 5 MiB": () => card(v3(`"name":"Orla","description":"${"x".repeat(5 * 1024 * 1024)}"`)),
  "65 levels": () =>
    card(v3(`"name":"Orla","description":"x","a":${"[".repeat(64)}${"]".repeat(64)}`)),
  "a million values": () =>
    card(v3(`"name":"Orla","description":"x","a":[${"{},".repeat(1_000_000)}{}]`)),
  "a card without text": () => card(v3('"name":"Orla","description":""')),
  "a card without data": () => card('{"spec":"chara_card_v3"}'),
  "__proto__ in place of data": () =>
    card('{"spec":"chara_card_v3","__proto__":{"data":{"name":"Orla","description":"x"}}}'),
  "__proto__ in place of the fields": () => card(v3('"__proto__":{"description":"x"}')),
  "a NUL in a text": () => card(v3('"name":"Orla","description":"a\\u0000b"')),
  "half of a surrogate pair": () => card(v3('"name":"Orla","description":"\\ud83e"')),
  "a compressed card that cannot be unpacked": () =>
    picture({ type: "zTXt", data: Buffer.from("chara\0\0x") }),
  "a compressed card of 64 MiB": () => compressed("zTXt", "ccv3\0\0", Buffer.alloc(2 ** 26, "A")),
  "an international card of 64 MiB": () =>
    compressed("iTXt", "chara\0\u0001\0\0\0", Buffer.alloc(2 ** 26, "A")),
  "an international card that is cut off": () =>
    picture({ type: "iTXt", data: Buffer.from("chara\0\0\0en") }),
  "JSON that is no card": () => Buffer.from('{"name": 1}'),
  "JSON that is cut off": () => Buffer.from('{"spec":"chara_card_v3","data":{'),
  "bytes of nothing": () => Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  "NUL in a Markdown": () => Buffer.from("# Orla\0"),
  "an empty file": () => Buffer.alloc(0),
};
