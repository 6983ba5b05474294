import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { CallContext, Hub } from "../context.ts";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";
import { HubError } from "../errors.ts";
import { MOVED } from "../operator/finish-restore.ts";
import { writeJson } from "../operator/write-whole.ts";
import { startArchiveJob } from "./archive-job.ts";

declare module "../context.ts" {
  interface Hub {
    move: MoveState;
  }
}

/** The steps of a move, in their order; `failed` may follow any but the last. */
export interface MoveState {
  step: "none" | "waiting" | "copying" | "moved" | "failed";
  /** The number of rows that were moved. */
  rows: number;
  /** The reason of a failure, for the operator. */
  reason: string;
}

/** How often the hub looks whether the running writes have ended. */
const LOOK_MS = 50;

/**
 * Begins to move an embedded hub's data into an empty PostgreSQL database (0033). The hub refuses
 * writes from now on. If the move fails, it accepts them again.
 * @throws HubError `not_found` if the hub has no embedded database; `maintenance` if a move runs
 */
export function beginMove({ hub }: CallContext, databaseUrl: string): void {
  const { database, move } = hub;
  if (database.kind !== "pglite" || !database.directory) {
    throw new HubError("not_found", { message: "This hub has no embedded database to move." });
  }
  if (["waiting", "copying", "moved"].includes(move.step)) throw new HubError("maintenance");
  Object.assign(move, { step: "waiting", rows: 0, reason: "" } satisfies MoveState);
  hub.inBackground("moving to PostgreSQL", run(hub, database.directory, databaseUrl));
}

async function run(hub: Hub, directory: string, databaseUrl: string): Promise<void> {
  const { move, maintenance } = hub;
  const moved = path.join(path.dirname(directory), MOVED);
  try {
    // The scheduled backup may run. Writes go on until its end.
    await hub.backups.idle();
    maintenance.begin();
    await writesEnd(hub);
    const { db } = hub.database;
    await writeAudit(db, { actor: "operator", action: "move", target: "hub" });
    await setReadOnly(hub, true);
    move.step = "copying";
    // The file is written before the copy, so that a full disk can't prevent the last step.
    await writeJson(`${moved}.pending`, { to: new URL(databaseUrl).host });
    move.rows = await copy(hub, databaseUrl);
    await rename(`${moved}.pending`, moved);
    flushDirectory(path.dirname(moved));
    move.step = "moved";
  } catch (error) {
    await setReadOnly(hub, false).finally(() => {
      maintenance.end();
      Object.assign(move, { step: "failed", reason: (error as Error).message });
    });
    await rm(`${moved}.pending`, { force: true });
    throw error;
  }
}

/** Waits until every write and reply that began before the maintenance is stored. */
async function writesEnd({ maintenance, replies, modelCalls, modelUsage, stopping }: Hub) {
  while (maintenance.runningWrites > 0 || replies.size > 0) {
    stopping.throwIfAborted();
    await sleep(LOOK_MS);
  }
  await modelCalls.idle();
  await modelUsage.flush();
}

/** Also makes the database refuse writes, because not every write runs through `Maintenance.write`. */
const setReadOnly = ({ database: { db } }: Hub, isOn: boolean) =>
  sql`select set_config('default_transaction_read_only', ${isOn ? "on" : "off"}, false)`.execute(
    db,
  );

/** The errors of a pipe whose process ends before it has read the archive: it refuses the target. */
const REFUSED = ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"];

async function copy({ backups, stopping }: Hub, databaseUrl: string): Promise<number> {
  const archive = await backups.open(false);
  const restoring = startArchiveJob(
    { task: "restore", databaseUrl, limits: backups.moveLimits },
    { signal: stopping },
  );
  const piping = pipeline(archive, restoring.process.stdin).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (REFUSED.includes(error.code ?? "") ? undefined : error),
  );
  return restoring.done.catch(async (error: unknown) => {
    // A process that empties its target reads no more.
    restoring.process.stdin.destroy();
    throw (await piping) ?? error;
  });
}
