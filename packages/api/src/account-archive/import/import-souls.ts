import {
  FormatError,
  type ImportedSoul,
  MANIFEST,
  MAX_PACKAGE_BYTES,
  newSoulTexts,
  type PackageFile,
} from "@soul-hub/soul-formats";
import { z } from "zod";
import type { Db } from "../../db/database.ts";
import { categorySlugs } from "../../souls/categories.ts";
import { inMemory } from "../../souls/packages/packages.queries.ts";
import { soulFields } from "../../souls/souls.schema.ts";
import { addSoul } from "../../souls/souls.service.ts";
import { type ArchivedPackageFile, type VersionLine, versionLine } from "../archive-format.ts";
import { archivedPackages, type StorePackage } from "./archived-package.ts";
import {
  type ArchiveImportRun,
  atomic,
  inTurn,
  isFromHere,
  knownImport,
  orSkip,
  past,
  rememberImport,
} from "./import-state.ts";
import { readLines, readWhole, soulsOf } from "./read-archive.ts";

const { title, description, content, domain, compatibility } = soulFields;

/** What the files of a present state may have together: its package and its content. */
const MAX_STATE_BYTES = MAX_PACKAGE_BYTES + 2 * 1024 * 1024;

/** Imports the souls of an archive as private ones, each with its versions in one transaction. */
export async function importSouls(run: ArchiveImportRun): Promise<void> {
  for (const [id, paths] of soulsOf(run.zip.paths)) {
    await orSkip(run, `souls/${id}`, () => importSoul(run, id, paths));
  }
}

/** Reads a soul before its transaction begins: all writes would wait for a free reading thread. */
async function importSoul(
  run: ArchiveImportRun,
  sourceId: number,
  paths: readonly string[],
): Promise<void> {
  const folder = `souls/${sourceId}`;
  const versions = () => readLines(run.zip, `${folder}/versions.ndjson`, versionLine);
  const { current, former } = await firstReading(versions(), folder);
  if (await isHere(run, run.ctx.db, sourceId, former)) return;
  const files = await presentFiles(run, folder, paths);
  const read = await inTurn(run, () =>
    run.ctx.hub.formats.run("soulOfFiles", files, categorySlugs),
  );
  const texts = checkedTexts(read, folder);
  const packages = archivedPackages(run, folder, inMemory(files));
  const present = asImported(inMemory(read.package), current.package);
  await packages.read(present);
  for await (const line of versions()) if (!line.is_current) await packages.read(line.package);
  await atomic(run, async (tx) => {
    // Another import may have brought the soul meanwhile.
    if (await isHere(run, tx, sourceId, former)) return;
    const store = packages.storeIn(tx);
    const targetId = await addSoul(tx, run.ctx.caller.account.id, {
      ...texts,
      is_public: 0,
      nft_contract: current.nft_contract,
      note: current.note,
      package_id: await store(present),
    });
    await tx
      .updateTable("souls")
      .set({
        version: current.number,
        ...(current.created_at ? { created_at: past(current.created_at) } : {}),
        ...(current.updated_at ? { updated_at: past(current.updated_at) } : {}),
      })
      .where("id", "=", targetId)
      .execute();
    for await (const line of versions()) {
      if (!line.is_current) await addVersion(tx, targetId, line, store);
    }
    const made = { source_id: sourceId, target_id: targetId, state: current.number };
    await rememberImport(tx, run, "soul", made);
    run.soulIds.set(sourceId, targetId);
    run.done.souls.created++;
    run.done.versions.created += former;
    run.warnings.push(
      ...read.warnings.map((warning) => ({
        ...warning,
        path: `${folder}/current/${warning.path}`,
      })),
    );
  });
}

/** An export brings a manifest up to date; the soul keeps the one that it was imported with. */
const asImported = (
  present: readonly ArchivedPackageFile[],
  named: readonly ArchivedPackageFile[],
): ArchivedPackageFile[] => {
  const manifest = named.find(({ path }) => path === MANIFEST);
  return present.map((file) => (manifest && file.path === MANIFEST ? manifest : file));
};

/**
 * Finds the line of the present state and counts the others. All lines could fill the memory. The
 * next version of the soul gets the number after the present one, so no other may have it.
 */
async function firstReading(lines: AsyncIterable<VersionLine>, folder: string) {
  const at = `${folder}/versions.ndjson`;
  let current: VersionLine | undefined;
  let newest = 0;
  const numbers = new Set<number>();
  for await (const line of lines) {
    if (line.is_current) {
      current = line;
      continue;
    }
    if (numbers.has(line.number)) throw new FormatError(at, "has a version twice");
    numbers.add(line.number);
    newest = Math.max(newest, line.number);
  }
  if (!current) throw new FormatError(at, "names no present version");
  if (current.number <= newest) throw new FormatError(at, "has a version after the present one");
  return { current, former: numbers.size };
}

/** Reports whether the account has the soul already: from an earlier import, or as its own. */
async function isHere(
  run: ArchiveImportRun,
  tx: Db,
  sourceId: number,
  former: number,
): Promise<boolean> {
  const known = await knownImport(tx, run, "soul", sourceId);
  const id = known?.target_id ?? (isFromHere(run) ? sourceId : null);
  const present = await tx
    .selectFrom("souls")
    .select(["id", "version"])
    .where("id", "=", id)
    .where("user_id", "=", run.ctx.caller.account.id)
    .executeTakeFirst();
  if (!present) return false;
  run.soulIds.set(sourceId, present.id);
  run.done.souls.unchanged++;
  run.done.versions.unchanged += former;
  if (known && present.version !== known.state) {
    run.skipped.push({ path: `souls/${sourceId}`, reason: "was edited here since its import" });
  }
  return true;
}

async function presentFiles(
  { zip, files }: ArchiveImportRun,
  folder: string,
  paths: readonly string[],
): Promise<PackageFile[]> {
  const prefix = `${folder}/current/`;
  const own = paths.filter((path) => path.startsWith(prefix));
  const size = own.reduce((sum, path) => sum + (files.get(path)?.size ?? 0), 0);
  if (size > MAX_STATE_BYTES) throw new FormatError(`${folder}/current`, "is too large");
  const read: PackageFile[] = [];
  for (const path of own) {
    read.push({ path: path.slice(prefix.length), bytes: await readWhole(zip, path) });
  }
  return read;
}

/** The texts of the present state, as a soul may have them. */
function checkedTexts(read: ImportedSoul, folder: string) {
  const texts = newSoulTexts(read);
  const checked = z.object({ title, description, content, domain, compatibility }).safeParse(texts);
  if (checked.success) return { ...checked.data, role: texts.role };
  throw new FormatError(`${folder}/current`, "holds texts that a soul cannot have");
}

async function addVersion(tx: Db, soulId: number, line: VersionLine, store: StorePackage) {
  const { title, content, package: named, edited_at, ...state } = line;
  const { is_current: _, created_at: __, updated_at: ___, ...kept } = state;
  if (title === undefined || content === undefined) {
    throw new FormatError("versions.ndjson", `has version ${line.number} without its texts`);
  }
  const written = {
    ...kept,
    soul_id: soulId,
    title,
    content,
    is_public: 0,
    package_id: await store(named),
    ...(edited_at ? { edited_at: past(edited_at) } : {}),
  };
  await tx.insertInto("soul_versions").values(written).execute();
}
