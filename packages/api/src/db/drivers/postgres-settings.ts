import pg from "pg";
import { sessionSettings } from "./session.ts";

/** Time limit of opening a connection, in milliseconds. */
export const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * Settings of PostgreSQL connections. A search collects references to hundreds of thousands of
 * rows. With the default `work_mem` of 4 MB, PostgreSQL would keep references to pages and read all
 * rows of those pages. JIT compilation would take longer than the queries.
 */
export const POSTGRES_SETTINGS = { ...sessionSettings, work_mem: "32MB", jit: "off" };

/** Returns settings as the startup parameter `options` of a connection. */
export const startupOptions = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/**
 * Connects once to PostgreSQL itself, so that the caller can tell its errors from the pooler's.
 * @throws Error of pg, with code `08P01` for a pooler, which refuses the startup parameters
 */
export async function tryDirectConnection(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    options: startupOptions(POSTGRES_SETTINGS),
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
  });
  await client.connect().finally(() => client.end());
}
