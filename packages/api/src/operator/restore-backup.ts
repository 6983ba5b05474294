import { missingKeys } from "../archive/master-key-checks.ts";
import { openArchiveFile } from "../archive/read-archive.ts";
import { databaseUrl as databaseUrlShape } from "../db/drivers/database-url.ts";
import { blame, EnvironmentError } from "./environment-error.ts";
import { restoreEmbedded } from "./restore-embedded.ts";
import { type Restored, type RestoreOptions, wrongKeys } from "./restore-options.ts";
import { restorePostgres } from "./restore-postgres.ts";

/**
 * Restores a backup into an embedded database or a PostgreSQL database (0028). The former data
 * stays in use until the restored data is whole and compared.
 * @throws ArchiveError, EnvironmentError; nothing was changed then
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { databaseUrl, masterKeys = [], loseSecrets, replace } = options;
  const refused = databaseUrl && databaseUrlShape.safeParse(databaseUrl).error;
  if (refused) throw new EnvironmentError(`DATABASE_URL: ${refused.issues[0]?.message}`);
  const backup = await openArchiveFile(options.file);
  if (!databaseUrl) return restoreEmbedded(backup, options);
  const missing = missingKeys(backup.manifest.keys, masterKeys);
  if (missing.length > 0 && !loseSecrets) throw wrongKeys(missing, "MASTER_KEYS");
  const restoring = restorePostgres(backup, { url: databaseUrl, replace });
  return blame({ DATABASE_URL: new URL(databaseUrl).host }, restoring);
}
