import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** A database of its own beside the one that TEST_DATABASE_URL names; gone in the end. */
export async function ownPostgresDatabase(): Promise<{ url: string } & AsyncDisposable> {
  const address = new URL(inject("services").postgres ?? "");
  const run = async (statement: string) => {
    const client = new pg.Client(address.href);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const name = `soul_hub_test_${randomBytes(6).toString("hex")}`;
  await run(`create database ${name}`);
  const own = new URL(address);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    [Symbol.asyncDispose]: () => run(`drop database ${name} with (force)`),
  };
}
