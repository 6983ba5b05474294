import {
  cardNickname,
  FormatError,
  newSoulTexts,
  type PackageFile,
  soulOfFiles,
} from "@soul-hub/soul-formats";
import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { categorySlugs } from "../../souls/categories.ts";
import { sha256, storePackage } from "../../souls/packages/packages.queries.ts";
import { soulFields } from "../../souls/souls.schema.ts";
import { addSoul, knownRole } from "../../souls/souls.service.ts";
import { versionNote } from "../../souls/versions/version.schema.ts";
import { type ArchiveImportRun, knownImport, rememberImport } from "./import-state.ts";
import { readLines, readWhole } from "./read-archive.ts";

const time = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const { title, description, content, domain, compatibility, nft_contract } = soulFields;

const versionLine = z.object({
  number: z.int().min(1),
  note: versionNote,
  nft_contract,
  package: z.array(z.object({ path: z.string(), sha256: z.string() })).max(500),
  is_current: z.boolean(),
  edited_at: time.nullable(),
  is_hidden: z.boolean().default(false),
  title: title.optional(),
  description: description.optional(),
  content: content.optional(),
  role: z.string().transform(knownRole).optional(),
  domain: domain.optional(),
  compatibility: compatibility.optional(),
  created_at: time.optional(),
  updated_at: time.optional(),
});
type VersionLine = z.output<typeof versionLine>;

/** A time of an archive, which is never later than now. */
const past = (given: string) => sql<string>`least(${given}::timestamptz, hub_now())`;

/** Imports the souls of an archive as private ones, each with its versions in one transaction. */
export async function importSouls(run: ArchiveImportRun): Promise<void> {
  const ids = new Set(
    run.zip.paths.flatMap((path) => /^souls\/(\d{1,15})\//.exec(path)?.[1] ?? []),
  );
  for (const id of [...ids].map(Number).sort((a, b) => a - b)) {
    try {
      await run.atomic((tx) => importSoul(run, tx, id));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      run.skipped.push({ path: `souls/${id}`, reason });
    }
  }
}

/** Why one part of an archive is left out; null for a failure of the hub itself. */
export function reasonOf(error: unknown): string | null {
  if (error instanceof FormatError) return [error.at, error.message].filter(Boolean).join(" ");
  return error instanceof HubError ? error.message : null;
}

async function importSoul(run: ArchiveImportRun, tx: Db, sourceId: number): Promise<void> {
  const known = await knownImport(tx, run, "soul", sourceId);
  const present = known && (await presentVersion(tx, run, known.target_id));
  if (known && present !== undefined) {
    run.soulIds.set(sourceId, known.target_id);
    run.done.souls.unchanged++;
    run.done.versions.unchanged += known.state - 1;
    if (present !== known.state) {
      run.skipped.push({ path: `souls/${sourceId}`, reason: "was edited here since its import" });
    }
    return;
  }
  const folder = `souls/${sourceId}`;
  const lines: VersionLine[] = [];
  for await (const line of readLines(run.zip, `${folder}/versions.ndjson`, versionLine))
    lines.push(line);
  const current = lines.find(({ is_current }) => is_current);
  if (!current) throw new FormatError(`${folder}/versions.ndjson`, "names no present version");
  const files = await currentFiles(run, folder);
  const read = soulOfFiles(files, categorySlugs);
  const texts = newSoulTexts(read);
  const checked = z.object({ title, description, content, domain, compatibility }).safeParse(texts);
  if (!checked.success)
    throw new FormatError(`${folder}/current`, "holds texts that a soul cannot have");
  const packages = new PackageStore(run, tx, folder, read.package);
  const targetId = await addSoul(tx, run.ctx.caller.account.id, {
    ...checked.data,
    role: texts.role,
    is_public: 0,
    nft_contract: current.nft_contract,
    note: current.note,
    package_id: await packages.store(read.package),
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
  const former = lines.filter(({ is_current }) => !is_current);
  for (const line of former) await addVersion(tx, targetId, line, packages);
  await rememberImport(tx, run, "soul", {
    source_id: sourceId,
    target_id: targetId,
    state: current.number,
  });
  run.soulIds.set(sourceId, targetId);
  run.done.souls.created++;
  run.done.versions.created += former.length;
  run.warnings.push(
    ...read.warnings.map((warning) => ({ ...warning, path: `${folder}/current/${warning.path}` })),
  );
}

const presentVersion = async (tx: Db, { ctx }: ArchiveImportRun, id: number) =>
  (
    await tx
      .selectFrom("souls")
      .select("version")
      .where("id", "=", id)
      .where("user_id", "=", ctx.caller.account.id)
      .executeTakeFirst()
  )?.version;

async function currentFiles({ zip }: ArchiveImportRun, folder: string): Promise<PackageFile[]> {
  const prefix = `${folder}/current/`;
  const files: PackageFile[] = [];
  for (const path of zip.paths.filter((each) => each.startsWith(prefix))) {
    files.push({ path: path.slice(prefix.length), bytes: await readWhole(zip, path) });
  }
  return files;
}

async function addVersion(tx: Db, soulId: number, line: VersionLine, packages: PackageStore) {
  const { number, note, is_hidden, nft_contract: gate, edited_at } = line;
  if (line.title === undefined || line.content === undefined) {
    throw new FormatError("versions.ndjson", `has version ${number} without its texts`);
  }
  await tx
    .insertInto("soul_versions")
    .values({
      soul_id: soulId,
      number,
      note,
      is_hidden,
      title: line.title,
      description: line.description ?? "",
      content: line.content,
      role: line.role ?? "Other",
      domain: line.domain ?? "",
      compatibility: line.compatibility ?? "any",
      is_public: 0,
      nft_contract: gate,
      package_id: await packages.stored(line.package),
      ...(edited_at ? { edited_at: past(edited_at) } : {}),
    })
    .execute();
}

/** Stores the packages of a soul and its versions. Equal ones are stored once. */
class PackageStore {
  readonly #known = new Map<string, number | null>();
  readonly #present: ReadonlyMap<string, Uint8Array>;
  readonly #run: ArchiveImportRun;
  readonly #tx: Db;
  readonly #folder: string;

  constructor(run: ArchiveImportRun, tx: Db, folder: string, present: readonly PackageFile[]) {
    this.#run = run;
    this.#tx = tx;
    this.#folder = folder;
    this.#present = new Map(present.map(({ bytes }) => [sha256(bytes), bytes]));
  }

  /** @throws HubError `account_storage_full` */
  async store(files: readonly PackageFile[]): Promise<number | null> {
    const key = keyOf(files.map(({ path, bytes }) => ({ path, sha256: sha256(bytes) })));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { ctx } = this.#run;
    const id = await storePackage(this.#tx, {
      userId: ctx.caller.account.id,
      files,
      nickname: cardNickname(files),
      maxBytes: ctx.hub.config.storageBytesPerAccount,
    });
    this.#known.set(key, id);
    return id;
  }

  /** Stores a package whose bytes are those of the present state, or lie in the archive. */
  async stored(named: VersionLine["package"]): Promise<number | null> {
    const known = this.#known.get(keyOf(named));
    if (known !== undefined) return known;
    const files: PackageFile[] = [];
    for (const { path, sha256: hash } of named) {
      const bytes =
        this.#present.get(hash) ??
        (await readWhole(this.#run.zip, `${this.#folder}/packages/${hash}`));
      files.push({ path, bytes });
    }
    return this.store(files);
  }
}

const keyOf = (files: readonly { path: string; sha256: string }[]) =>
  JSON.stringify(files.map(({ path, sha256: hash }) => [path, hash]).sort());
