import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";
import { runOnServer } from "../database-template.ts";
import { freePort } from "./free-port.ts";
import { answersOn, startProgram } from "./own-program.ts";

/** A PgBouncer in transaction mode for one test, which the test can kill and restart. */
export interface OwnPgbouncer extends AsyncDisposable {
  /** Returns the URL through PgBouncer of a database that `url` names directly. */
  through(url: string): string;
  /** Replaces all connections to PostgreSQL with new ones. */
  reconnect(): Promise<void>;
  start(): Promise<void>;
  kill(): Promise<void>;
}

interface PgbouncerOptions {
  /** Any URL of the PostgreSQL server. PgBouncer passes on all databases of the server. */
  server: string;
  /** Maximum number of connections to one database, 4 by default. */
  poolSize?: number;
  /** A role that may connect, besides the role of `server`. */
  role?: string;
}

/** Starts PgBouncer with the settings that docs/operations.md recommends. */
export async function startPgbouncer({
  server,
  poolSize = 4,
  role,
}: PgbouncerOptions): Promise<OwnPgbouncer> {
  const { hostname, port: serverPort, username, password } = new URL(server);
  const port = await freePort();
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-pgbouncer-"));
  const file = (name: string) => path.join(directory, name);
  const user = decodeURIComponent(username);
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const users = [[user, decodeURIComponent(password)], ...(role ? [[role, ""]] : [])];
  const lines = users.map((fields) => fields.map(quoted).join(" "));
  await writeFile(file("users.txt"), `${lines.join("\n")}\n`);
  await writeFile(
    file("pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${serverPort || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${file("users.txt")}
admin_users = ${user}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
server_login_retry = 1
`,
  );
  // As root PgBouncer changes to another user, who must be able to read these files.
  await chmod(directory, 0o755);
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const program = inject("services").pgbouncer ?? "pgbouncer";
  const pgbouncer = await startProgram({
    command: [program, "-q", ...asUser, file("pgbouncer.ini")],
    answers: () => answersOn(port),
    directory,
  });
  const through = (url: string) =>
    Object.assign(new URL(url), { hostname: "127.0.0.1", port }).href;
  const console = new URL(through(server));
  console.pathname = "/pgbouncer";
  return {
    ...pgbouncer,
    through,
    reconnect: async () => void (await runOnServer(console.href, "reconnect")),
    kill: pgbouncer.end,
  };
}
