import { hash } from "node:crypto";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import {
  END,
  type End,
  FORMAT,
  MANIFEST,
  type Manifest,
  type MasterKeyCheck,
  PART_BYTES,
  partName,
  SECRETS,
} from "./archive-format.ts";
import { addSeal } from "./archive-seal.ts";
import { countMigrations, readSequences, readTables } from "./catalog.ts";
import { type CopyPort, ROW_END } from "./copy-port.ts";
import { TableDigester } from "./table-digest.ts";

export interface ArchiveContext {
  /** The release that writes the archive. */
  app: string;
  keys: MasterKeyCheck[];
  /** The text of secrets.json. Without it, the archive holds no keys. */
  secrets?: string | undefined;
}

/**
 * Writes a consistent archive of the hub's tables to `output`, and ends it. On PostgreSQL one
 * read-only transaction reads all tables; an open PGlite must have no other user.
 */
export async function writeArchive(
  source: CopyPort,
  context: ArchiveContext,
  output: Writable,
): Promise<void> {
  const entries = pack();
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const written = pipeline(entries, compress, addSeal, output);
  try {
    await Promise.race([writeEntries(source, context, entries), written]);
    entries.finalize();
  } catch (error) {
    entries.destroy(error as Error);
    await written.catch(() => undefined);
    throw error;
  }
  await written;
}

async function writeEntries(source: CopyPort, context: ArchiveContext, entries: Pack) {
  await source.query("begin isolation level repeatable read read only");
  const manifest: Manifest = {
    format: FORMAT,
    app: context.app,
    schema: await countMigrations(source),
    database: source.kind,
    created_at: new Date().toISOString().slice(0, 19).replace("T", " "),
    keys: context.keys,
    tables: await readTables(source),
  };
  const end: End = { tables: {}, sequences: await readSequences(source), files: {} };
  const addFile = async (name: string, text: string) => {
    end.files[name] = hash("sha256", text);
    await addEntry(entries, name, Buffer.from(text));
  };
  await addFile(MANIFEST, JSON.stringify(manifest, null, 2));
  if (context.secrets !== undefined) await addFile(SECRETS, context.secrets);
  for (const table of manifest.tables) {
    const digester = new TableDigester();
    let part = 0;
    for await (const rows of partsOf(source.copyOut(table))) {
      digester.add(rows);
      await addEntry(entries, partName(table.name, ++part), rows);
    }
    end.tables[table.name] = digester.digest();
  }
  await source.query("commit");
  await addEntry(entries, END, Buffer.from(JSON.stringify(end, null, 2)));
}

/** Joins buffers to parts of about {@link PART_BYTES}, each of which ends with a row. */
async function* partsOf(buffers: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of buffers) {
    const end = buffer.lastIndexOf(ROW_END) + 1;
    kept.push(buffer.subarray(0, end));
    bytes += end;
    if (end > 0 && bytes >= PART_BYTES) {
      yield Buffer.concat(kept);
      kept = [];
      bytes = 0;
    }
    kept.push(buffer.subarray(end));
    bytes += buffer.length - end;
  }
  if (bytes > 0) yield Buffer.concat(kept);
}

const addEntry = (entries: Pack, name: string, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    entries.entry({ name, mode: 0o600 }, body, (error) => (error ? reject(error) : resolve()));
  });
