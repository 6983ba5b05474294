import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connectDatabase } from "@soul-hub/api";
import { runOnServer } from "@soul-hub/api/testing";

const { BENCH_DATABASE_URL, TEST_DATABASE_URL, BENCH_REDIS_URL, TEST_REDIS_URL } = process.env;
const server =
  BENCH_DATABASE_URL || TEST_DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

/**
 * Benchmark runs may share a Redis server: each database has its own key prefix, and all keys
 * expire.
 */
export const redisUrl: string = BENCH_REDIS_URL || TEST_REDIS_URL || "redis://127.0.0.1:6379";

let count = 0;
let migrated: ReturnType<typeof createMigrated> | undefined;

/** Creates a database on the server of BENCH_DATABASE_URL: a migrated one, or an empty one. */
export async function createDatabase(isMigrated: boolean) {
  const name = `soul_hub_bench_${process.pid}_${count++}`;
  if (isMigrated) migrated ??= createMigrated();
  const template = isMigrated ? ` template ${(await migrated)?.name}` : "";
  await runStatement(`create database ${name}${template}`);
  return {
    name,
    url: urlOf(name),
    drop: () => runStatement(`drop database if exists ${name} with (force)`),
  };
}

async function createMigrated() {
  const template = await createDatabase(false);
  await (await connectDatabase({ url: template.url })).close();
  return template;
}

let embedded: Promise<string> | undefined;

/** Puts a migrated embedded database into a DATA_DIR, faster than the first start of a hub. */
export async function copyEmbeddedDatabase(dataDir: string): Promise<void> {
  embedded ??= createEmbedded();
  await cp(await embedded, path.join(dataDir, "database"), { recursive: true });
}

async function createEmbedded(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
  // In the benchmark's own process, the database would keep all scenarios waiting.
  const script = fileURLToPath(new URL("./create-embedded.ts", import.meta.url));
  await promisify(execFile)(process.execPath, [script, directory]);
  return directory;
}

export async function dropTemplates(): Promise<void> {
  await (await migrated)?.drop();
  if (embedded) await rm(await embedded, { recursive: true });
}

interface KeptDatabase {
  url: string;
  /** Seconds that an earlier run took to fill the database; null if it is not filled. */
  filledIn: number | null;
  noteFilled(seconds: number): Promise<unknown>;
}

/**
 * Opens or creates a database that the next run reuses. The comment of a filled database records
 * the seconds that filling took.
 */
export async function keepDatabase(name: string): Promise<KeptDatabase> {
  const [found] = await runStatement<{ note: string | null }>(
    `select shobj_description(oid, 'pg_database') as note from pg_database where datname = '${name}'`,
  );
  // An existing database without the comment is left from an interrupted run.
  if (found && !found.note) await runStatement(`drop database ${name} with (force)`);
  if (!found?.note) await runStatement(`create database ${name}`);
  return {
    url: urlOf(name),
    filledIn: found?.note ? Number(found.note) : null,
    noteFilled: (seconds) => runStatement(`comment on database ${name} is '${seconds}'`),
  };
}

const urlOf = (name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href;

/** Runs a statement on a database, by default that of the server's URL. */
export const runStatement = async <Row>(statement: string, url = server): Promise<Row[]> =>
  (await runOnServer(url, statement)).rows;
