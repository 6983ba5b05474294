import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { ArchiveError } from "../archive/archive-error.ts";
import type { CopyPort } from "../archive/copy-port.ts";
import { missingKeys } from "../archive/master-key-checks.ts";
import { pgliteCopy } from "../archive/pglite-copy.ts";
import type { OpenArchive } from "../archive/read-archive.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { fileTime } from "../file-time.ts";
import type { MasterKey } from "../vault.ts";
import { carryDeletions } from "./carry-deletions.ts";
import { lockDataDirectory } from "./directory-lock.ts";
import { blame } from "./environment-error.ts";
import { fillRestored } from "./fill-restored.ts";
import { commitRestore, formerName, RESTORED_SECRETS, RESTORING } from "./finish-restore.ts";
import { type Restored, type RestoreOptions, wrongKeys } from "./restore-options.ts";
import { newSecrets, parseSecrets, readSecrets, secretsFile } from "./stored-secrets.ts";
import { writeJson } from "./write-whole.ts";

/** Restores a backup into the data directory of an embedded hub, which must not run. */
export async function restoreEmbedded(
  backup: OpenArchive,
  options: RestoreOptions,
): Promise<Restored> {
  await using locked = await lockDataDirectory(options.dataDir);
  const { directory } = locked;
  const target = path.join(directory, "database");
  const hasData = await isFilled(target);
  if (hasData && !options.replace) {
    throw new ArchiveError("target_not_empty", `${target} contains a database.`);
  }
  const secrets = await restoredSecrets(directory, backup, options);
  const restoring = path.join(directory, RESTORING);
  const rows = await blame({ DATA_DIR: directory }, fill(restoring, backup, hasData && target));
  if (secrets) await writeJson(path.join(directory, RESTORED_SECRETS), secrets);
  const time = fileTime();
  await commitRestore(directory, time);
  const former = hasData ? formerName(target, time) : null;
  return { manifest: backup.manifest, rows, target, former };
}

const isFilled = async (directory: string): Promise<boolean> =>
  (await readdir(directory).catch(() => [])).length > 0;

async function fill(
  directory: string,
  backup: OpenArchive,
  replaced: string | false,
): Promise<number> {
  try {
    await using target = await embeddedTarget({ directory });
    const carryInto = (restored: CopyPort) => carryFrom(replaced, restored);
    return await fillRestored(target, backup, { carryInto });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Brings the deletions of the replaced database, unless it is too damaged to open. */
async function carryFrom(directory: string | false, restored: CopyPort): Promise<void> {
  const former = directory ? await openPglite({ directory }).catch(() => null) : null;
  if (!former) return;
  await using port = await pgliteCopy(former);
  await carryDeletions(port, restored);
}

/**
 * Returns the content of the secrets.json that belongs to the restored data. Returns null if the
 * present file stays.
 * @throws ArchiveError `wrong_keys`
 */
async function restoredSecrets(
  directory: string,
  { manifest, secrets: text }: OpenArchive,
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
