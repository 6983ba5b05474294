import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip, written as it is: hostile values included. */
export interface RawEntry {
  path: string | Buffer;
  content?: string | Buffer;
  /** The packed bytes, in place of `content` packed. */
  packed?: Buffer;
  method?: number;
  flags?: number;
  crc?: number;
  /** The unpacked size that the headers claim. */
  claimedSize?: number;
  attributes?: number;
  /** The number of the entry whose local header this entry shares. */
  sharesHeaderOf?: number;
}

const UTF8_FLAG = 0x800;
const UNIX = 3 << 8;

/** Writes a zip by hand, so that its headers can lie. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const path = Buffer.from(entry.path as string);
    const content = Buffer.from((entry.content as string) ?? "");
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const fields = Buffer.alloc(22);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((entry.flags ?? 0) | UTF8_FLAG, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(entry.crc ?? crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(entry.claimedSize ?? content.length, 18);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(path.length);
    const shared = entry.sharesHeaderOf === undefined ? undefined : offsets[entry.sharesHeaderOf];
    offsets.push(shared ?? at);
    if (shared === undefined) {
      const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, lengths, path, packed]);
      parts.push(local);
      at += local.length;
    }
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(((entry.attributes ?? 0o100644) << 16) >>> 0, 8);
    tail.writeUInt32LE(shared ?? offsets.at(-1) ?? 0, 12);
    const maker = Buffer.alloc(2);
    maker.writeUInt16LE(UNIX | 20);
    const nameLengths = Buffer.alloc(2);
    nameLengths.writeUInt16LE(path.length);
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002"), maker, fields, nameLengths, tail, path]),
    );
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}

const MB = 1024 * 1024;

/** Zips that no import may take, by what is wrong with them. */
export const hostileZips: Readonly<Record<string, () => Buffer>> = {
  "a bomb that is honest about its size": () =>
    rawZip([{ path: "SOUL.md", content: Buffer.alloc(200 * MB) }]),
  "a bomb that claims to be small": () =>
    rawZip([{ path: "SOUL.md", content: Buffer.alloc(200 * MB), claimedSize: 10 }]),
  "many files that are too large together": () =>
    rawZip(Array.from({ length: 40 }, (_, at) => ({ path: `a/${at}`, content: Buffer.alloc(MB) }))),
  "entries that overlap": () =>
    rawZip([
      { path: "SOUL.md", content: "Be kind." },
      { path: "OTHER.md", content: "Be kind.", sharesHeaderOf: 0 },
    ]),
  "a path out of the folder": () => rawZip([{ path: "../SOUL.md", content: "x" }]),
  "a path out of a deeper folder": () => rawZip([{ path: "a/../../SOUL.md", content: "x" }]),
  "an absolute path": () => rawZip([{ path: "/etc/passwd", content: "x" }]),
  "a backslash": () => rawZip([{ path: "..\\SOUL.md", content: "x" }]),
  "a drive": () => rawZip([{ path: "C:/SOUL.md", content: "x" }]),
  "NUL in a path": () => rawZip([{ path: "SOUL.md\0.png", content: "x" }]),
  "a symbolic link": () =>
    rawZip([{ path: "SOUL.md", content: "/etc/passwd", attributes: 0o120777 }]),
  "an encrypted entry": () => rawZip([{ path: "SOUL.md", content: "x", flags: 1 }]),
  "a file twice": () =>
    rawZip([
      { path: "SOUL.md", content: "x" },
      { path: "soul.MD", content: "y" },
    ]),
  "a path that turns its direction": () =>
    rawZip([
      { path: "SOUL.md", content: "x" },
      { path: "a\u202egnp.md", content: "x" },
    ]),
  "a file below a file": () =>
    rawZip([
      { path: "SOUL.md", content: "x" },
      { path: "SOUL.md/x", content: "y" },
    ]),
  "a wrong checksum": () => rawZip([{ path: "SOUL.md", content: "x", crc: 1 }]),
  "an unknown method": () => rawZip([{ path: "SOUL.md", content: "x", method: 12 }]),
  "501 entries": () =>
    rawZip(Array.from({ length: 501 }, (_, at) => ({ path: `${at}.md`, content: "x" }))),
  "a path of 241 bytes": () => rawZip([{ path: `${"a".repeat(238)}.md`, content: "x" }]),
  "nine folders": () => rawZip([{ path: `${"a/".repeat(8)}SOUL.md`, content: "x" }]),
  "broken packed bytes": () =>
    rawZip([{ path: "SOUL.md", packed: Buffer.from("not deflated"), claimedSize: 40 }]),
  "no content": () => rawZip([{ path: "a.bin", content: "x" }]),
  "no entry": () => rawZip([]),
  "a directory that is cut off": () =>
    rawZip([{ path: "SOUL.md", content: "Be kind." }]).subarray(0, -30),
  "an archive of an account": () =>
    rawZip([{ path: "manifest.json", content: '{"format":"soul-hub-archive","v":1}' }]),
};
