import { createHash, type Hash, hash } from "node:crypto";
import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { extract } from "tar-stream";
import type { ZodType } from "zod";
import { migrations } from "../db/migrate.ts";
import { ArchiveError, damaged } from "./archive-error.ts";
import {
  END,
  type End,
  endShape,
  MANIFEST,
  type Manifest,
  manifestShape,
  SECRETS,
  tableOfPart,
} from "./archive-format.ts";
import { checkSeal } from "./archive-seal.ts";

/** An archive whose beginning has been read. */
export interface OpenArchive {
  manifest: Manifest;
  /** The text of secrets.json; null if the archive holds no keys. */
  secrets: string | null;
  /** The parts of the tables. The last entry is `end`, and by then every byte matches its digests. */
  entries: AsyncGenerator<{ table: string; rows: Buffer } | { end: End }>;
}

/**
 * Opens the file of an archive.
 * @throws ArchiveError `unreadable_file`, and the errors of {@link openArchive}
 */
export async function openArchiveFile(file: string): Promise<OpenArchive> {
  const opening = open(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ArchiveError("unreadable_file", `${file} can't be read (${cause.code}).`, { cause });
  });
  return openArchive((await opening).createReadStream());
}

/**
 * Opens an archive whose schema this release knows. It is read once.
 * @throws ArchiveError `newer_schema`; `damaged_archive`, which `entries` throw, too
 */
export async function openArchive(input: Readable): Promise<OpenArchive> {
  const files = unpack(input);
  const next = async () => (await files.next().catch(asDamage)).value ?? null;
  const hashes: End["files"] = {};
  const readText = ({ name, body }: ArchivedFile) => {
    hashes[name] = hash("sha256", body);
    return body.toString();
  };
  const first = await next();
  if (first?.name !== MANIFEST) throw damaged("it does not begin with a manifest");
  const manifest = parse(manifestShape, readText(first));
  assertKnownSchema(manifest);
  let file = await next();
  const secrets = file?.name === SECRETS ? readText(file) : null;
  if (secrets !== null) file = await next();
  return { manifest, secrets, entries: readEntries() };

  async function* readEntries(): OpenArchive["entries"] {
    const digests = new Map<string, Hash>(
      manifest.tables.map(({ name }) => [name, createHash("sha256")]),
    );
    for (; file && file.name !== END; file = await next()) {
      const table = tableOfPart(file.name) ?? "";
      const digest = digests.get(table);
      if (!digest) throw damaged(`its file ${file.name} belongs to no table`);
      digest.update(file.body);
      yield { table, rows: file.body };
    }
    if (!file) throw damaged("its end is missing");
    const end = parse(endShape, file.body.toString());
    for (const [name, digest] of digests) {
      if (end.tables[name]?.sha256 !== digest.digest("hex")) throw damaged(`${name} was changed`);
    }
    for (const name of new Set([...Object.keys(hashes), ...Object.keys(end.files)])) {
      if (end.files[name] !== hashes[name]) throw damaged(`${name} was changed`);
    }
    if (await next()) throw damaged("something follows its end");
    yield { end };
  }
}

function assertKnownSchema({ schema, app }: Manifest): void {
  if (schema <= migrations.length) return;
  throw new ArchiveError(
    "newer_schema",
    `This backup has schema ${schema} of Soul Hub ${app}. This release knows schemas up to ${migrations.length}. Use that release or a newer one.`,
  );
}

function asDamage(error: unknown): never {
  throw damaged(error instanceof Error ? error.message : String(error), error);
}

function parse<Shape>(shape: ZodType<Shape>, text: string): Shape {
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    throw damaged("a file in it is invalid", error);
  }
}

interface ArchivedFile {
  name: string;
  body: Buffer;
}

async function* unpack(input: Readable): AsyncGenerator<ArchivedFile, null> {
  const entries = extract();
  // `pipeline` would ignore an error that follows the last tar entry, so the bytes are passed on
  // here.
  const unpacked = pipeline(input, checkSeal, createZstdDecompress(), async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<Buffer>)
      if (!entries.write(chunk)) await once(entries, "drain");
    entries.end(Buffer.alloc(0));
  });
  unpacked.catch((error: Error) => entries.destroy(error));
  for await (const entry of entries) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    yield { name: entry.header.name, body: Buffer.concat(pieces) };
  }
  await unpacked;
  return null;
}
