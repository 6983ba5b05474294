import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from, to } from "pg-copy-streams";
import { type CopyPort, columnList, copySettings, copyTarget, quoted } from "./copy-port.ts";

const CONNECTION_TIMEOUT_MS = 5_000;
/** Names the connections of this process, so that a move recognises its own (0033). */
export const ARCHIVE_NAME = `soul-hub archive ${process.pid}`;

/**
 * Opens a connection to PostgreSQL that reads and fills tables.
 * @param schema the schema of the tables, by default that of the connection's `search_path`
 */
export async function postgresCopy(url: string, schema?: string): Promise<CopyPort> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: ARCHIVE_NAME,
  });
  // A lost connection also fails the query that runs. Without a listener, it would end the process.
  client.on("error", () => undefined);
  await client.connect();
  const settings = {
    ...copySettings,
    statement_timeout: "0",
    idle_in_transaction_session_timeout: "0",
    idle_session_timeout: "0",
    ...(schema ? { search_path: `${schema}, public` } : {}),
  };
  for (const [name, value] of Object.entries(settings)) {
    await client.query("select set_config($1, $2, false)", [name, value]);
  }
  return {
    kind: "postgresql",
    query: async <Row>(statement: string, params?: unknown[]) =>
      (await client.query(statement, params)).rows as Row[],
    copyOut: ({ name, columns }) =>
      client.query(
        to(`copy (select ${columnList(columns)} from ${quoted(name)}) to stdout`),
      ) as AsyncIterable<Buffer>,
    async copyIn(table, rows) {
      const copying = client.query(from(`copy ${copyTarget(table)} from stdin`));
      await pipeline(Readable.from([rows]), copying);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
