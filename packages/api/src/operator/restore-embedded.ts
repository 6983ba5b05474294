import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { ArchiveError } from "../archive/archive-error.ts";
import type { CopyPort } from "../archive/copy-port.ts";
import { fillFromArchive } from "../archive/fill-from-archive.ts";
import { missingKeys } from "../archive/master-key-checks.ts";
import { pgliteCopy } from "../archive/pglite-copy.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { fileTime } from "../file-time.ts";
import type { MasterKey } from "../vault.ts";
import { carryDeletions } from "./carry-deletions.ts";
import { lockDataDirectory } from "./directory-lock.ts";
import { blame } from "./environment-error.ts";
import { commitRestore, formerName, RESTORED_SECRETS, RESTORING } from "./finish-restore.ts";
import type { OpenBackup } from "./open-backup.ts";
import { type Restored, type RestoreOptions, wrongKeys } from "./restore-options.ts";
import { newSecrets, parseSecrets, readSecrets, secretsFile } from "./stored-secrets.ts";
import { writeWhole } from "./write-whole.ts";

/** Restores a backup into the data directory of an embedded hub, which must not run. */
export async function restoreEmbedded(
  backup: OpenBackup,
  options: RestoreOptions,
): Promise<Restored> {
  const lock = await lockDataDirectory(options.dataDir);
  const { directory } = lock;
  try {
    const target = path.join(directory, "database");
    const hasData = await isFilled(target);
    if (hasData && !options.replace) {
      throw new ArchiveError("target_not_empty", `${target} contains a database.`);
    }
    const secrets = await restoredSecrets(directory, backup, options);
    const restoring = path.join(directory, RESTORING);
    const replaced = hasData ? target : null;
    const rows = await blame({ DATA_DIR: directory }, fill(restoring, backup, replaced));
    if (secrets) await writeWhole(path.join(directory, RESTORED_SECRETS), secrets);
    const time = fileTime();
    await commitRestore(directory, time);
    const former = hasData ? formerName(target, time) : null;
    return { manifest: backup.manifest, rows, target, former };
  } finally {
    await lock.release();
  }
}

const isFilled = (directory: string): Promise<boolean> =>
  readdir(directory).then(
    (files) => files.length > 0,
    () => false,
  );

/** Brings the deletions of the replaced database, unless it is too damaged to open. */
async function carryFrom(directory: string, restored: CopyPort): Promise<void> {
  const former = await openPglite({ directory }).catch(() => null);
  if (!former) return;
  const port = await pgliteCopy(former);
  await carryDeletions(port, restored).finally(() => port.close());
}

async function fill(
  directory: string,
  { manifest, entries }: OpenBackup,
  replaced: string | null,
): Promise<number> {
  try {
    const target = await embeddedTarget({ directory });
    try {
      const rows = await fillFromArchive(target, manifest, entries);
      if (replaced) await carryFrom(replaced, target.port);
      await target.dropWaitingMails();
      await target.recordRestore(manifest);
      return rows;
    } finally {
      await target.close();
    }
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Returns the content of the secrets.json that belongs to the restored data. Returns null if the
 * present file stays.
 * @throws ArchiveError `wrong_keys`
 */
async function restoredSecrets(
  directory: string,
  { manifest, secrets: text }: OpenBackup,
  { masterKeys, loseSecrets }: RestoreOptions,
): Promise<object | null> {
  const file = secretsFile(directory);
  const present = await readSecrets(directory);
  const kept = text === null ? null : { ...parseSecrets(file, text), content: JSON.parse(text) };
  const fits = (ring: readonly MasterKey[] = []) => missingKeys(manifest.keys, ring).length === 0;
  if (fits(masterKeys ?? present?.masterKeys)) return present ? null : (kept?.content ?? null);
  if (!masterKeys && fits(kept?.masterKeys)) return kept?.content;
  if (loseSecrets) return present || masterKeys ? null : newSecrets();
  const ring = masterKeys ?? present?.masterKeys ?? [];
  throw wrongKeys(missingKeys(manifest.keys, ring), masterKeys ? "MASTER_KEYS" : file);
}
