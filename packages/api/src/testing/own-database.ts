import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { DatabaseOptions } from "../db/database.ts";
import { runOnServer } from "./database-template.ts";

/**
 * Creates a PostgreSQL database on the server of TEST_DATABASE_URL. The end of the run drops it.
 * @param template `none` for a database without tables, the run's template by default
 * @returns its URL
 */
export async function createPostgresDatabase(template?: "none"): Promise<string> {
  const { postgres = "" } = inject("services");
  const prefix = inject("postgresTemplate");
  const url = new URL(postgres);
  url.pathname = `/${prefix}_${randomBytes(4).toString("hex")}`;
  const from = template === "none" ? "" : ` template ${prefix}`;
  const name = url.pathname.slice(1);
  await runOnServer(postgres, `create database ${name}${from}`);
  // No test cuts the power of this server, and waiting for its disk takes a third of a test's time.
  await runOnServer(postgres, `alter database ${name} set synchronous_commit = off`);
  return url.href;
}

/** Returns how a hub opens a database: through the pooler of TEST_DATABASE_POOLER_URL, if any. */
export function openedAt(url: string): DatabaseOptions {
  const { pooler } = inject("services");
  if (!pooler) return { url };
  const pooled = Object.assign(new URL(pooler), { pathname: new URL(url).pathname });
  return { url: pooled.href, directUrl: url, pooler: "transaction" };
}

/** Creates a PostgreSQL database that is dropped on disposal. */
export async function ownPostgresDatabase(
  template?: "none",
): Promise<{ url: string } & AsyncDisposable> {
  const url = await createPostgresDatabase(template);
  const name = new URL(url).pathname.slice(1);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await runOnServer(inject("services").postgres ?? "", `drop database ${name} with (force)`);
    },
  };
}
