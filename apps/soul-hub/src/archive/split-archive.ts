import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { type OpenZip, openZip, streamZip } from "@soul-hub/soul-formats";
import { temporary } from "../temporary.ts";
import { PART_LIMITS, type Part, planParts } from "./plan-parts.ts";
import { ARCHIVE_LIMITS, MANIFEST, type Manifest } from "./read-archive.ts";

/** A file with a part of an archive, which is an archive itself. */
export interface PartFile {
  file: string;
  number: number;
  of: number;
}

/**
 * Splits an archive that is larger than the hub takes. One that is not comes as it is. A part is
 * deleted when the next one is asked for.
 */
export async function* splitArchive(
  file: string,
  manifest: Manifest,
  limits = PART_LIMITS,
): AsyncGenerator<PartFile> {
  const { size: packed } = await stat(file);
  const unpacked = manifest.files.reduce((sum, { size }) => sum + size, 0);
  const { souls, lines } = manifest.counts;
  const isSmall = packed <= limits.packed && unpacked <= limits.unpacked;
  if (isSmall && souls <= limits.souls && lines <= limits.lines) {
    yield { file, number: 1, of: 1 };
    return;
  }
  await using zip = await openZip(file, ARCHIVE_LIMITS);
  const parts = await planParts(zip, manifest, limits);
  const folder = await mkdtemp(path.join(tmpdir(), "soul-hub-"));
  using _ = temporary(folder);
  for (const [at, part] of parts.entries()) {
    const name = path.join(folder, `${at + 1}.zip`);
    await writePart(zip, part, manifest, name);
    yield { file: name, number: at + 1, of: parts.length };
    await rm(name);
  }
}

async function writePart(zip: OpenZip, part: Part, manifest: Manifest, name: string) {
  const paths = new Set(part.paths);
  const files = manifest.files.filter((file) => paths.has(file.path));
  const own = { ...manifest, counts: part.counts, files };
  const contents = async function* () {
    for (const each of part.paths) yield { path: each, pieces: zip.pieces(each) };
    yield { path: MANIFEST, pieces: [Buffer.from(JSON.stringify(own))] };
  };
  await pipeline(streamZip(contents()), createWriteStream(name, { mode: 0o600, flags: "wx" }));
}
