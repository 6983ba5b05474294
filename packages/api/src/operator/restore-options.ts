import { ArchiveError } from "../archive/archive-error.ts";
import type { Manifest } from "../archive/archive-format.ts";
import type { MasterKey } from "../vault.ts";

export interface RestoreOptions {
  file: string;
  dataDir: string;
  /** A PostgreSQL database, by a direct connection. Without it, `dataDir` is restored. */
  databaseUrl: string | undefined;
  /** The keys of MASTER_KEYS, if it is set. */
  masterKeys: readonly MasterKey[] | undefined;
  /** Keeps the former data under a name with `before` and the time. */
  replace: boolean;
  /** Restores even if the master keys of the backup are missing. */
  loseSecrets: boolean;
}

export interface Restored {
  manifest: Manifest;
  rows: number;
  /** The place of the restored data, safe to print. */
  target: string;
  /** The place of the data before the restore. Null if the target was empty. */
  former: string | null;
}

/** @param source the setting that lacks the keys */
export const wrongKeys = (missing: string[], source: string): ArchiveError =>
  new ArchiveError(
    "wrong_keys",
    `${source} lacks the master key ${missing.join(", ")} of this backup. Without it the stored API keys, room tokens and provider keys can't be read. Set MASTER_KEYS to the keys of the backed-up hub, or lose these secrets with --lose-secrets.`,
  );
