import { createHash, type Hash, hash } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { extract } from "tar-stream";
import { ZodError } from "zod";
import { ArchiveError } from "./archive-error.ts";
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

/** What an archive contains, in the order in which a reader gets it. */
export type ArchiveEntry =
  | { manifest: Manifest; secrets: string | null }
  | { table: string; rows: Buffer }
  | { end: End };

const damaged = (reason: string, cause?: unknown) =>
  new ArchiveError("damaged_archive", `This is not a whole backup: ${reason}.`, { cause });

/**
 * Reads an archive. The last entry is `end`, and by then every byte matches its digests.
 * @throws ArchiveError `damaged_archive`
 */
export async function* readArchive(input: Readable): AsyncGenerator<ArchiveEntry> {
  try {
    yield* readEntries(input);
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw damaged(error instanceof ZodError ? "a file in it is invalid" : messageOf(error), error);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function* readEntries(input: Readable): AsyncGenerator<ArchiveEntry> {
  const files = unpack(input);
  const next = async () => (await files.next()).value ?? null;
  const first = await next();
  if (first?.name !== MANIFEST) throw damaged("it does not begin with a manifest");
  const manifest = manifestShape.parse(JSON.parse(first.body.toString()));
  const hashes: Record<string, string> = { [MANIFEST]: hash("sha256", first.body) };
  let file = await next();
  let secrets: string | null = null;
  if (file?.name === SECRETS) {
    secrets = file.body.toString();
    hashes[SECRETS] = hash("sha256", file.body);
    file = await next();
  }
  yield { manifest, secrets };
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
  const end = endShape.parse(JSON.parse(file.body.toString()));
  for (const [name, digest] of digests) {
    if (end.tables[name]?.sha256 !== digest.digest("hex")) throw damaged(`${name} was changed`);
  }
  for (const name of new Set([...Object.keys(hashes), ...Object.keys(end.files)])) {
    if (end.files[name] !== hashes[name]) throw damaged(`${name} was changed`);
  }
  if (await next()) throw damaged("something follows its end");
  yield { end };
}

async function* unpack(input: Readable): AsyncGenerator<{ name: string; body: Buffer }, null> {
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
