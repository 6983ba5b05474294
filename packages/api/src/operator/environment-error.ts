import { firstError, isStorageFull } from "../db/database-errors.ts";

/** The error for an unusable setting. The message names the environment variable. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}

/**
 * Error codes and the one explanation for them. The codes come from the operating system,
 * PostgreSQL, Redis or the hub.
 */
type Fault = [codes: string[], explanation: string | ((error: unknown) => string)];

/** For each environment variable, the errors that an unusable value causes. */
export type Faults = Record<string, Fault[]>;

/** @param question what the operator should look for */
export const unreachable = (question: string): Fault => [
  ["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH"],
  `does not answer. ${question}`,
];
export const unknownHost: Fault = [["ENOTFOUND", "EAI_AGAIN"], "can't be found: no such host"];
const noSpace: Fault = [["ENOSPC"], "has no disk space left"];
const unreleased: Fault = [
  ["UNRELEASED_SCHEMA"],
  "contains a database from before the first release, which can't be upgraded. Move it away, or name an empty one",
];

/** @param backup the backup with which the operator returns to this release */
const tooNew = (backup: string): Fault => [
  ["SCHEMA_TOO_NEW"],
  (error) =>
    `contains a database of a newer release. ${(error as Error).message} Start the newer release, or restore ${backup}. See docs/operations.md, Upgrade`,
];
const locked: Fault = [
  ["55P03", "40P01"],
  "has tables that another program, such as a backup, keeps locked. Start the hub again when that program has ended",
];

const postgres: Fault[] = [
  unreachable("Is PostgreSQL running there?"),
  unknownHost,
  [["3D000"], "has no such database"],
  [["28P01", "28000"], "refuses this user or password"],
];

/** The faults of the settings that name a database, which the server and the tool share. */
const databaseFaults: Faults = {
  DATABASE_URL: [
    ...postgres,
    [
      ["08P01"],
      "refuses the connection. If it is a pooler, set DATABASE_POOLER. The pooler's log contains the cause",
    ],
    [
      ["POOLED_SETTINGS"],
      "hands out sessions without the hub's settings. Send RECONNECT to the pooler or restart it, then start the hub again",
    ],
    [["26000", "42P05"], "loses prepared statements. Set DATABASE_POOLER=transaction"],
    noSpace,
    unreleased,
    tooNew("a backup from before the upgrade"),
    locked,
  ],
  DATABASE_DIRECT_URL: [
    ...postgres,
    [["08P01"], "refuses the hub's startup parameters. Name PostgreSQL itself, not the pooler"],
    [["42501"], "may not store settings on the role of DATABASE_URL. Use that role here, too"],
    [["42P01", "OTHER_DATABASE"], "is not the database of DATABASE_URL"],
  ],
  DATA_DIR: [
    [["ENOTDIR", "EEXIST"], "is not a directory, or lies in something that is none"],
    [["EACCES", "EPERM", "EROFS"], "can't be read and written by this user"],
    [
      ["NOT_FLUSHED"],
      "would not survive a power cut: this version of PGlite does not flush its files. To start without protection from power cuts, set DATA_SYNC=off",
    ],
    noSpace,
    unreleased,
    tooNew("the backup in BACKUP_DIR (by default DATA_DIR/backups)"),
  ],
};

/**
 * Awaits a step of the server's start. If one of the given settings causes an error, the thrown
 * error explains that setting.
 * @param settings the variables of the step, with values that are safe to print
 * @param faults the faults of these variables, by default those of the database
 * @throws EnvironmentError, or the original error if no setting explains it
 */
export async function blame<T>(
  settings: Record<string, unknown>,
  step: Promise<T>,
  faults: Faults = databaseFaults,
): Promise<T> {
  try {
    return await step;
  } catch (thrown) {
    const error = firstError(thrown);
    const code = isStorageFull(error) ? "ENOSPC" : String((error as NodeJS.ErrnoException).code);
    for (const [name, shown] of Object.entries(settings)) {
      const [, explanation] = faults[name]?.find(([codes]) => codes.includes(code)) ?? [];
      if (!explanation) continue;
      const text = typeof explanation === "string" ? explanation : explanation(error);
      throw new EnvironmentError(`${name}: ${shown} ${text} (${code})`);
    }
    throw error;
  }
}
