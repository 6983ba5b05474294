import { Failure } from "@soul-hub/program";
import type { Environment } from "../env.ts";
import type { Command } from "../report.ts";

const REPLACE = "To keep its data under another name and restore the backup, use --replace.";

/** The part of the hub that restores backups. Loading it takes longer than most commands. */
const loadOperator = () => import("@soul-hub/api/operator");
type Operator = Awaited<ReturnType<typeof loadOperator>>;

/**
 * Restores a backup into a temporary database and compares every table.
 * @throws Failure `damaged_archive`, `newer_schema`
 */
export const verify =
  (file: string): Command =>
  async () => {
    const operator = await loadOperator();
    const { manifest, rows } = await asFailure(operator, operator.verifyBackup(file));
    const { app, schema, created_at, keys } = manifest;
    const needed = keys.map(({ id }) => id).join(", ");
    return {
      json: { rows, app, schema, created_at, keys: keys.map(({ id }) => id) },
      lines: [
        `${file} is whole: ${rows} rows, written ${created_at} UTC by Soul Hub ${app} (schema ${schema}).`,
        `Its secrets need the master keys ${needed}.`,
      ],
    };
  };

interface RestoreFlags {
  replace?: boolean;
  loseSecrets?: boolean;
}

/**
 * Restores a backup into DATABASE_URL or DATA_DIR, which no hub may use.
 * @throws Failure with exit code 2; nothing was changed then
 */
export const restore =
  (file: string, { replace = false, loseSecrets = false }: RestoreFlags): Command =>
  async (env) => {
    const operator = await loadOperator();
    const restoring = operator.restoreBackup({
      file,
      dataDir: env.DATA_DIR,
      databaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
      masterKeys: readMasterKeys(operator, env),
      replace,
      loseSecrets,
    });
    const { manifest, rows, target, former } = await asFailure(operator, restoring);
    return {
      json: { rows, target, former, created_at: manifest.created_at },
      lines: [
        `Restored ${rows} rows of ${manifest.created_at} UTC into ${target}.`,
        ...(former ? [`The former data is in ${former}.`] : []),
      ],
    };
  };

function readMasterKeys({ masterKeys }: Operator, { MASTER_KEYS }: Environment) {
  if (MASTER_KEYS === undefined) return undefined;
  const { data } = masterKeys.safeParse(MASTER_KEYS);
  if (data) return data;
  throw new Failure("bad_environment", "MASTER_KEYS: invalid value.");
}

async function asFailure<T>(
  { ArchiveError, EnvironmentError }: Operator,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ArchiveError) {
      const hint = error.code === "target_not_empty" ? ` ${REPLACE}` : "";
      throw new Failure(error.code, error.message + hint);
    }
    if (error instanceof EnvironmentError) {
      throw new Failure("bad_environment", error.message);
    }
    throw error;
  }
}
