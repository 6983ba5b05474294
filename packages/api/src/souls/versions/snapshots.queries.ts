import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { sha256 } from "../packages/packages.queries.ts";
import { detectFileType, type FileType } from "../soul-content.ts";
import { versionDigest } from "../version/version-digest.ts";
import { snapshotNumber } from "../version/version-number.ts";
import type { VersionSignature } from "../version/version-signature.schema.ts";
import { hasHiddenContent, type VersionReader } from "./version-reader.ts";

/**
 * Selects the snapshots that the reader may know of, without their texts. Callers other than the
 * owner know neither hidden snapshots nor those from while the soul was private (decisions §7).
 */
export function knownSnapshots(db: Db, soulId: number, reader: VersionReader) {
  const isHidden = hasHiddenContent(reader);
  const snapshots = db
    .selectFrom("soul_versions")
    .select(["id", "soul_id", "title", "note", "is_hidden", "edited_at"])
    .select([snapshotNumber.as("number"), isHidden.as("content_hidden")])
    .select(sql<boolean>`package_id is not null`.as("has_package"))
    // A signature contains the digest of the content.
    .select(
      sql<VersionSignature | null>`case when ${isHidden} then null else signature end`.as(
        "signature",
      ),
    )
    .where("soul_id", "=", soulId);
  if (reader === "owner") return snapshots;
  return snapshots.where("is_public", "=", 1).where("is_hidden", "=", false);
}

/** Selects {@link knownSnapshots} with their texts. Content that the reader may not see is empty. */
export const snapshotsWithTexts = (db: Db, soulId: number, reader: VersionReader) =>
  knownSnapshots(db, soulId, reader)
    .select(["description", "role", "domain", "compatibility", "package_id"])
    .select(
      sql<string>`case when ${hasHiddenContent(reader)} then '' else content end`.as("content"),
    );

interface SnapshotTexts {
  title: string;
  description: string;
  content: string;
  content_hidden: boolean;
}

interface FileTypeAndHashes {
  file_type: FileType | null;
  digest: string | null;
  content_sha256: string | null;
}

/** Adds file type and hashes, which are worked out from the texts; null where these are hidden. */
export function withSnapshotDigest<Row extends SnapshotTexts>(row: Row): Row & FileTypeAndHashes {
  if (row.content_hidden) return { ...row, file_type: null, digest: null, content_sha256: null };
  const file_type = detectFileType(row.content);
  const digest = versionDigest({ ...row, file_type });
  return { ...row, file_type, digest, content_sha256: sha256(row.content) };
}

/** Removes `is_hidden` for callers other than the owner, who know of no hidden version. */
export const shownTo = <Row extends { is_hidden: boolean }>(
  reader: VersionReader,
  { is_hidden, ...row }: Row,
) => (reader === "owner" ? { ...row, is_hidden } : row);

/** The nickname of the character card that a snapshot came from, for a query of `soul_versions`. */
export const snapshotNickname = sql<string | null>`(
  select nickname from soul_packages where soul_packages.id = soul_versions.package_id)`.as(
  "nickname",
);
