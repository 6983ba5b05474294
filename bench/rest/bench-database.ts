import pg from "pg";

const DEFAULT_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";
const server = process.env.BENCH_DATABASE_URL || process.env.TEST_DATABASE_URL || DEFAULT_SERVER;

export interface BenchDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Creates an empty database on the server of BENCH_DATABASE_URL. Existing databases are not
 * changed.
 */
export async function createBenchDatabase(nth: number): Promise<BenchDatabase> {
  const name = `soul_hub_bench_${process.pid}_${nth}`;
  await run(server, `create database ${name}`);
  return {
    url: urlOf(name),
    drop: async () => {
      await run(server, `drop database if exists ${name} with (force)`);
    },
  };
}

interface KeptDatabase {
  url: string;
  /**
   * Seconds that an earlier run took to fill the database; null for a database that is not filled.
   */
  filledIn: number | null;
  noteFilled(seconds: number): Promise<void>;
}

/**
 * Opens or creates a database that the next run reuses. The comment of a filled database records
 * the seconds that filling took.
 */
export async function keepBenchDatabase(name: string): Promise<KeptDatabase> {
  const [found] = await run<{ note: string | null }>(
    server,
    `select shobj_description(oid, 'pg_database') as note from pg_database where datname = '${name}'`,
  );
  // An existing database without the comment is left from an interrupted run, so it is replaced by
  // an empty one.
  if (found && !found.note) await run(server, `drop database ${name} with (force)`);
  if (!found?.note) await run(server, `create database ${name}`);
  return {
    url: urlOf(name),
    filledIn: found?.note ? Number(found.note) : null,
    noteFilled: async (seconds) => {
      await run(server, `comment on database ${name} is '${seconds}'`);
    },
  };
}

function urlOf(name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function run<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<Row>(statement);
  await client.end();
  return rows;
}
