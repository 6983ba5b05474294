import pg from "pg";

const DEFAULT_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

export interface BenchDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new database on the server that BENCH_DATABASE_URL names. What is already there is left alone. */
export async function createBenchDatabase(nth: number): Promise<BenchDatabase> {
  const server = process.env.BENCH_DATABASE_URL || process.env.TEST_DATABASE_URL || DEFAULT_SERVER;
  const name = `soul_hub_bench_${process.pid}_${nth}`;
  await run(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => run(server, `drop database if exists ${name} with (force)`),
  };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
