import { hash } from "node:crypto";
import type { PackageFile } from "@soul-hub/soul-formats";
import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";

export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex");

/** The most bytes that one statement reads. A whole package would block the embedded hub. */
const PIECE_BYTES = 256 * 1024;

/**
 * Reads stored bytes in pieces.
 * @throws HubError `soul_not_found` if their last holder was deleted meanwhile
 */
export async function* blobPieces(db: Db, key: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; at += PIECE_BYTES) {
    const { rows } = await sql<{ size: number; piece: Buffer }>`
      select size, substring(bytes from ${at + 1}::int for ${PIECE_BYTES}::int) as piece
      from package_blobs where sha256 = ${key}`.execute(db);
    const [row] = rows;
    if (!row) throw new HubError("soul_not_found");
    yield row.piece;
    if (at + PIECE_BYTES >= row.size) return;
  }
}

/** Reads the files of a package, sorted by path. */
export async function readPackage(db: Db, packageId: number | null): Promise<PackageFile[]> {
  if (packageId === null) return [];
  const rows = await db
    .selectFrom("package_files")
    .innerJoin("package_blobs", "package_blobs.sha256", "package_files.sha256")
    .select(["package_files.path", "package_files.sha256", "package_blobs.size"])
    .where("package_files.package_id", "=", packageId)
    .orderBy(sql`package_files.path collate "C"`)
    .execute();
  const files: PackageFile[] = [];
  for (const { path, sha256: key, size } of rows) {
    const bytes = new Uint8Array(size);
    let at = 0;
    for await (const piece of blobPieces(db, key)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    files.push({ path, bytes });
  }
  return files;
}

/** The bytes of a package, without reading them. */
export async function packageSize(db: Db, packageId: number | null): Promise<number> {
  if (packageId === null) return 0;
  const { rows } = await sql<{ size: number }>`
    select coalesce(sum(blob.size), 0)::int as size from package_files as file
    join package_blobs as blob on blob.sha256 = file.sha256
    where file.package_id = ${packageId}`.execute(db);
  return rows[0]?.size ?? 0;
}

/**
 * Reports whether a stored package has exactly these files. Reads hashes and no bytes.
 */
export async function isStored(
  db: Db,
  packageId: number | null,
  files: readonly NewPackageFile[],
): Promise<boolean> {
  if (packageId === null) return files.length === 0;
  const rows = await db
    .selectFrom("package_files")
    .select(["path", "sha256"])
    .where("package_id", "=", packageId)
    .execute();
  const stored = new Map(rows.map(({ path, sha256: known }) => [path, known]));
  return (
    stored.size === files.length && files.every((file) => stored.get(file.path) === file.sha256)
  );
}

/** A file of a new package. Its bytes are read only if the hub does not have them. */
export interface NewPackageFile {
  path: string;
  sha256: string;
  size: number;
  bytes(): Uint8Array | Promise<Uint8Array>;
}

/** Files whose bytes are in memory. */
export const inMemory = (files: readonly PackageFile[]): NewPackageFile[] =>
  files.map(({ path, bytes }) => ({
    path,
    sha256: sha256(bytes),
    size: bytes.length,
    bytes: () => bytes,
  }));

interface NewPackage {
  userId: number;
  files: readonly NewPackageFile[];
  nickname: string | null;
  /** The account's limit in bytes. */
  maxBytes: number;
  /** Sizes by hash of the other packages that a dry run of several packages would store. */
  beside?: ReadonlyMap<string, number> | undefined;
}

/**
 * Stores a package for an account. Bytes that the hub has already are not stored again.
 * @returns the id; null without files
 * @throws HubError `account_storage_full`
 */
export async function storePackage(
  tx: Db,
  { userId, files, nickname, maxBytes, beside }: NewPackage,
): Promise<number | null> {
  if (files.length === 0) return null;
  await assertRoom(tx, { userId, files, maxBytes, beside });
  await storeBlobs(tx, files);
  const { id } = await tx
    .insertInto("soul_packages")
    .values({ nickname })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("package_files")
    .values(files.map(({ path, sha256: key }) => ({ package_id: id, path, sha256: key })))
    .execute();
  return id;
}

/** Stores the bytes that the hub does not have. One file at a time is in memory. */
async function storeBlobs(tx: Db, files: readonly NewPackageFile[]): Promise<void> {
  const blobs = new Map(files.map((file) => [file.sha256, file]));
  // The locks keep a deletion from taking bytes that are there. All stores and deletions take them
  // in the order of the hashes.
  const { rows } = await sql<{ sha256: string }>`
    select sha256 from package_blobs where sha256 = any(${[...blobs.keys()]}::text[])
    order by sha256 for key share`.execute(tx);
  for (const { sha256: known } of rows) blobs.delete(known);
  for (const [key, file] of [...blobs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { buffer, byteOffset, byteLength } = await file.bytes();
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    await tx
      .insertInto("package_blobs")
      .values({ sha256: key, size: file.size, bytes })
      // Another import may have stored the same bytes meanwhile. The update locks them.
      .onConflict((known) => known.column("sha256").doUpdateSet({ size: file.size }))
      .execute();
  }
}

/**
 * Checks the account's limit under a lock of its row, so that two imports cannot both take the rest.
 * The same bytes in several souls and versions of the account count once.
 */
async function assertRoom(
  tx: Db,
  {
    userId,
    files,
    maxBytes,
    beside = new Map(),
  }: Pick<NewPackage, "userId" | "files" | "maxBytes" | "beside">,
): Promise<void> {
  await sql`select from accounts where id = ${userId} for no key update`.execute(tx);
  const { rows: held } = await sql<{ sha256: string; size: number }>`
    select distinct blob.sha256, blob.size from package_files as file
    join package_blobs as blob on blob.sha256 = file.sha256
    where file.package_id in (
      select package_id from souls where user_id = ${userId} and package_id is not null
      union
      select version.package_id from soul_versions as version
      join souls as soul on soul.id = version.soul_id
      where soul.user_id = ${userId} and version.package_id is not null)`.execute(tx);
  const sizes = new Map(held.map(({ sha256: key, size }) => [key, size]));
  for (const [key, size] of beside) sizes.set(key, size);
  for (const file of files) sizes.set(file.sha256, file.size);
  let total = 0;
  for (const size of sizes.values()) total += size;
  if (total > maxBytes) throw new HubError("account_storage_full");
}

/** The packages that a soul and its versions hold. */
export async function packagesOf(tx: Db, soulId: number): Promise<number[]> {
  const { rows } = await sql<{ package_id: number }>`
    select package_id from souls where id = ${soulId} and package_id is not null
    union
    select package_id from soul_versions where soul_id = ${soulId} and package_id is not null`.execute(
    tx,
  );
  return rows.map(({ package_id }) => package_id);
}

/** Deletes those of the packages that nothing holds any more. */
export async function dropUnheld(tx: Db, packages: readonly number[]): Promise<void> {
  if (packages.length === 0) return;
  await callFunction(tx, "drop_unheld_packages", { of_packages: packages });
}
