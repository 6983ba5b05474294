import type { ARCHIVE_FORMAT } from "@soul-hub/soul-formats";

/** The files of an account's archive (0053). A change of their meaning needs another `v`. */
export const ARCHIVE_VERSION = 1;

/** A file of a package, named by its hash. */
export interface ArchivedPackageFile {
  path: string;
  sha256: string;
}

/**
 * One state of a soul, a line of `souls/<id>/versions.ndjson`: the former ones, then the present
 * one. The texts of the present one stand in `current/`.
 */
export interface ArchivedVersion {
  number: number;
  note: string | null;
  is_public: number;
  nft_contract: string | null;
  package: ArchivedPackageFile[];
  is_current: boolean;
  /** When the state was replaced; null for the present one. */
  edited_at: string | null;
  is_hidden?: boolean;
  title?: string;
  description?: string;
  content?: string;
  role?: string;
  domain?: string;
  compatibility?: string;
  /** On the present state. */
  created_at?: string;
  updated_at?: string;
  forked_from?: number | null;
}

/** The first line of `rooms/<n>.ndjson`. */
export interface ArchivedRoom {
  kind: "room";
  id: number;
  soul_id: number;
  soul_title: string;
  session_token: string;
  title: string | null;
  is_private: boolean;
  is_mine: boolean;
  summary: string | null;
  summarised_to: number;
  active_id: number | null;
  created_at: string;
  updated_at: string;
}

/** A message of a room. Ids are those of the exporting hub. */
export interface ArchivedLine {
  kind: "line";
  id: number;
  prev_id: number;
  parent_id: number | null;
  role: "user" | "assistant";
  is_mine: boolean;
  sender_name: string;
  content: string;
  audience: "room" | "people";
  created_at: string;
  edited_at: string | null;
  edited_by: string | null;
  removed: boolean;
  made_by: object | null;
  imported: boolean;
}

export interface ArchivedMark {
  soul_id: number;
  created_at: string;
  rating?: number;
}

/** `manifest.json`, the last file: an archive that was cut off has none. */
export interface ArchiveManifest {
  format: typeof ARCHIVE_FORMAT;
  v: typeof ARCHIVE_VERSION;
  /** Tells hubs apart, so that a second import recognises souls and rooms of the first. */
  hub_id: string;
  hub: string;
  username: string;
  exported_at: string;
  counts: Record<"souls" | "versions" | "rooms" | "lines" | "likes" | "ratings", number>;
  /** The rooms that were left out, because the chain could not answer for their gate. */
  unchecked: number;
  files: { path: string; size: number; sha256: string }[];
}
