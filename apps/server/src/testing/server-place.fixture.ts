import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectDatabase } from "@soul-hub/api";
import {
  type DatabaseKind,
  fillDataDirectory,
  openedAt,
  ownPostgresDatabase,
  ruleDatabase,
} from "@soul-hub/api/testing";

const ADMIN_TOKEN = "admin-token-of-the-kill-test";

/**
 * A data directory or PostgreSQL database that several servers open one after the other. By default
 * the database is PostgreSQL if there is one, with which a server starts faster.
 * @param given a PostgreSQL database of the test, instead of a new one
 */
export async function makePlace(
  kind: DatabaseKind = ruleDatabase(),
  given?: ReturnType<typeof openedAt>,
) {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-kill-"));
  const postgres = kind === "postgresql" && !given ? await ownPostgresDatabase() : undefined;
  const opened = postgres ? openedAt(postgres.url) : given;
  if (!opened) await fillDataDirectory(directory);
  const env = {
    DATA_DIR: directory,
    RATE_LIMITS: "off",
    ...(opened && {
      DATABASE_URL: opened.url ?? "",
      DATABASE_DIRECT_URL: opened.directUrl ?? "",
      DATABASE_POOLER: opened.pooler ?? "",
      ADMIN_TOKEN,
      MASTER_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    }),
  };
  return {
    env,
    adminToken: async () =>
      opened
        ? ADMIN_TOKEN
        : String(
            JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8")).admin_token,
          ),
    open: () => connectDatabase(opened ?? { directory: path.join(directory, "database") }),
    async [Symbol.asyncDispose]() {
      await postgres?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
