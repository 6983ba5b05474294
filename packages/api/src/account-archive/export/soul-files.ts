import type { StreamedFile } from "@soul-hub/soul-formats";
import { slugOf } from "@soul-hub/soul-names";
import { type Selectable, sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db, Tables } from "../../db/database.ts";
import { categorySlugs } from "../../souls/categories.ts";
import { blobPieces, readPackage, sha256 } from "../../souls/packages/packages.queries.ts";
import { detectFileType } from "../../souls/soul-content.ts";
import { numberVersions } from "../../souls/version/version-number.ts";
import type { ArchiveCounts, ArchivedPackageFile, NewVersionLine } from "../archive-format.ts";
import { jsonLine } from "./json-bytes.ts";
import { readInPages } from "./read-in-pages.ts";

/** The files of each soul of the caller: its present state, its packages and all its versions. */
export async function* soulFiles(
  ctx: AccountContext,
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  const { db, caller } = ctx;
  const souls = db.selectFrom("souls").selectAll().where("user_id", "=", caller.account.id);
  for await (const soul of readInPages(1, souls)) {
    counts.souls++;
    yield* filesOfOne(ctx, soul, counts);
  }
}

type OwnSoul = Selectable<Tables["souls"]>;

async function* filesOfOne(
  { db, hub, caller }: AccountContext,
  soul: OwnSoul,
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  const folder = `souls/${soul.id}`;
  const number = await numberVersions(db, soul.id);
  const files = await readPackage(db, soul.package_id);
  const { title, description, content, role, domain, compatibility } = soul;
  const state = {
    title,
    description,
    content,
    role,
    domain,
    compatibility,
    file_type: detectFileType(content),
    package: files,
  };
  const written = await hub.formats.run("filesOfSoul", state, {
    id: soul.id,
    slug: slugOf(title),
    author: caller.account.username,
    version: `1.0.${number - 1}`,
    roles: categorySlugs,
  });
  for (const { path, bytes } of written) {
    yield { path: `${folder}/current/${path}`, pieces: [bytes] };
  }
  const packages = await packagesOfVersions(db, soul);
  const known = new Set(written.map(({ bytes }) => sha256(bytes)));
  yield* blobFiles(db, folder, packages, known);
  yield {
    path: `${folder}/versions.ndjson`,
    pieces: versionLines(db, soul, number, packages, counts),
  };
}

/** The files of packages by their ids. */
type Packages = ReadonlyMap<number, readonly ArchivedPackageFile[]>;

/** The files of all packages that the soul and its versions have, without their bytes. */
async function packagesOfVersions(db: Db, soul: OwnSoul): Promise<Packages> {
  const { rows } = await sql<{ package_id: number; path: string; sha256: string }>`
    select package_id, path, sha256 from package_files where package_id in (
      select package_id from soul_versions where soul_id = ${soul.id}
      union select package_id from souls where id = ${soul.id})
    order by package_id, path collate "C"`.execute(db);
  return Map.groupBy(rows, ({ package_id }) => package_id);
}

/**
 * The bytes that `current/` does not hold: those of former versions, and the manifest as it was
 * imported where the present one is brought up to date.
 */
async function* blobFiles(
  db: Db,
  folder: string,
  packages: Packages,
  known: ReadonlySet<string>,
): AsyncGenerator<StreamedFile> {
  const hashes = new Set([...packages.values()].flat().map((file) => file.sha256));
  for (const hash of [...hashes].filter((each) => !known.has(each)).sort()) {
    yield { path: `${folder}/packages/${hash}`, pieces: blobPieces(db, hash) };
  }
}

async function* versionLines(
  db: Db,
  soul: OwnSoul,
  present: number,
  packages: Packages,
  counts: ArchiveCounts,
): AsyncGenerator<Uint8Array> {
  const packageOf = (id: number | null) =>
    (packages.get(id ?? 0) ?? []).map(({ path, sha256: hash }) => ({ path, sha256: hash }));
  const versions = db.selectFrom("soul_versions").selectAll().where("soul_id", "=", soul.id);
  for await (const version of readInPages(1, versions)) {
    counts.versions++;
    const { id: _, soul_id: __, signature: ___, package_id, number, ...state } = version;
    yield jsonLine<NewVersionLine>({
      ...state,
      number: number ?? 0,
      package: packageOf(package_id),
      is_current: false,
    });
  }
  const { version_note, is_public, nft_contract, forked_from, created_at, updated_at } = soul;
  yield jsonLine<NewVersionLine>({
    number: present,
    note: version_note,
    is_public,
    nft_contract,
    package: packageOf(soul.package_id),
    is_current: true,
    edited_at: null,
    forked_from,
    created_at,
    updated_at,
  });
}
