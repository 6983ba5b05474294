import { spawnSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";
import { runOnServer } from "../database-template.ts";
import { freePort } from "./free-port.ts";
import { startProgram } from "./own-program.ts";

/** A PostgreSQL server for one test, which the test can stop and start again. */
export interface OwnPostgres extends AsyncDisposable {
  /** URL of its database `postgres`. */
  url: string;
  start(): Promise<void>;
  /** Stops the server as an operator does: its connections end, its data stays. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. Debian's package adds the user `postgres`. */
function userIds(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "postgres"]).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Creates a PostgreSQL server with no data of other tests. It writes nothing through to the disk. */
export async function startPostgres(): Promise<OwnPostgres> {
  const program = (name: string) => path.join(inject("services").postgresPrograms ?? "", name);
  const ids = userIds();
  const port = await freePort();
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-postgres-"));
  if (ids.uid !== undefined) spawnSync("chown", ["postgres", directory]);
  const data = path.join(directory, "data");
  const options = ["--auth", "trust", "--username", "postgres", "--no-sync"];
  const made = spawnSync(program("initdb"), ["--pgdata", data, ...options], ids);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);

  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const settings = ["-h", "127.0.0.1", "-p", String(port), "-k", "", "-F"];
  const postgres = await startProgram({
    ...ids,
    command: [program("postgres"), "-D", data, ...settings],
    answers: async () => Boolean(await runOnServer(url, "select")),
    // PostgreSQL's fast shutdown.
    endsBy: "SIGINT",
    directory,
  });
  return { ...postgres, url, stop: postgres.end };
}
