import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { ArchiveError, type ArchiveProblem } from "../archive/archive-error.ts";
import type { ArchiveContext } from "../archive/write-archive.ts";
import type { MoveLimits } from "../operator/watch-target.ts";

/** The databases that a backup can read. No other process may have the directory open. */
export type ArchiveSource = { directory: string } | { databaseUrl: string };

/** A task of the archive process. */
export type ArchiveJob =
  | { task: "write"; source: ArchiveSource; context: ArchiveContext }
  | { task: "verify"; file: string; place: string }
  | { task: "restore"; databaseUrl: string; limits: MoveLimits };

export type ArchiveOutcome =
  | { rows: number }
  | { failure: { code: ArchiveProblem | null; message: string } };

/** A process whose stdin and stdout are pipes. */
type ArchiveProcess = ChildProcess & { stdin: Writable; stdout: Readable };

export interface RunningJob {
  /** Its stdin carries the archive of `restore`. */
  process: ArchiveProcess;
  /** The archive of `write`. */
  archive: Readable;
  /** The number of restored rows. */
  done: Promise<number>;
}

/** The key of the backup lock, an advisory lock of PostgreSQL. It is equal in all servers. */
export const BACKUP_LOCK = 7_281_947;

/** Compiled in the npm package (0072), like this module. */
const PROGRAM = path.join(
  import.meta.dirname,
  `archive-process${path.extname(import.meta.filename)}`,
);

interface ArchiveJobOptions {
  /** Kills the process when it aborts. */
  signal?: AbortSignal;
  /** True if the hub serves writes meanwhile. The process then has a lower priority. */
  yieldsToHub?: boolean;
}

/**
 * Starts a task in a child process. Hashing and compression would block the hub's event loop. A
 * second embedded database would fill the hub's memory.
 */
export function startArchiveJob(
  job: ArchiveJob,
  { signal, yieldsToHub = false }: ArchiveJobOptions = {},
): RunningJob {
  const child = fork(PROGRAM, [], {
    execArgv: [],
    stdio: ["pipe", "pipe", "inherit", "ipc"],
    ...(signal ? { signal, killSignal: "SIGKILL" } : {}),
  }) as ArchiveProcess;
  if (yieldsToHub) lowerPriority(child);
  const done = new Promise<number>((resolve, reject) => {
    child.once("message", (outcome: ArchiveOutcome) => {
      if ("rows" in outcome) return resolve(outcome.rows);
      const { code, message } = outcome.failure;
      reject(code ? new ArchiveError(code, message) : new Error(message));
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`The archive process ended early (${signal ?? code}).`)),
    );
  });
  // The caller may await `done` only after it has read the whole archive.
  done.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  // When a process ends, Node discards the output that nothing reads yet.
  const archive = child.stdout.pipe(new PassThrough());
  child.send(job);
  return { process: child, archive, done };
}

/**
 * Gives a process a lower priority, because the hub runs on the same machine. The process cannot
 * do so itself before it has loaded its modules, which takes a second of a core.
 */
function lowerPriority({ pid }: ChildProcess): void {
  // A process that could not be started reports its error by the event `error`.
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended, or the system has no priorities.
  }
}

/** Yields the archive of a `write`. Fails if the archive is not whole. */
export async function* wholeArchive({
  process,
  archive,
  done,
}: RunningJob): AsyncGenerator<Buffer> {
  try {
    yield* archive;
    await done;
  } finally {
    // The reader may have stopped before the end, while the process still writes.
    process.kill("SIGKILL");
  }
}
