import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openPglite } from "../db/drivers/pglite.ts";
import { connectDatabase } from "../tables/connect.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The data directory of a migrated embedded database, and a tar archive of it. */
    embeddedTemplate: { directory: string; archive: string };
    /** The name of a migrated PostgreSQL database. The names of its copies begin with this name. */
    postgresTemplate: string;
  }
}

/** Runs one statement, such as `create database`, on a PostgreSQL server. */
export async function runOnServer(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  // A server that stops may end the connection after its response. Without a listener, the event
  // would end the test run.
  client.on("error", () => undefined);
  await client.connect();
  return client.query(statement).finally(() => client.end());
}

/**
 * Vitest's globalSetup: migrates one database of each kind per test run. Tests start from copies of
 * these databases.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-template-"));
  const embedded = {
    directory: path.join(directory, "database"),
    archive: path.join(directory, "database.tar"),
  };
  await (await connectDatabase({ directory: embedded.directory })).close();
  const pglite = await openPglite({ directory: embedded.directory });
  await writeFile(embedded.archive, (await pglite.dumpDataDir("none")).stream());
  await pglite.close();
  project.provide("embeddedTemplate", embedded);

  const server = process.env.TEST_DATABASE_URL;
  const name = `soul_hub_test_${randomBytes(4).toString("hex")}`;
  project.provide("postgresTemplate", name);
  if (server) {
    await runOnServer(server, `create database ${name}`);
    const template = new URL(server);
    template.pathname = `/${name}`;
    await (await connectDatabase({ url: template.href })).close();
  }

  return async () => {
    await rm(directory, { recursive: true });
    if (!server) return;
    const { rows } = await runOnServer(
      server,
      `select datname from pg_database where datname like '${name}%'`,
    );
    for (const { datname } of rows)
      await runOnServer(server, `drop database "${datname}" with (force)`);
  };
}
