import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectDatabase } from "@soul-hub/api";
import { type DatabaseKind, ownPostgresDatabase } from "@soul-hub/api/testing";

const ADMIN_TOKEN = "admin-token-of-the-kill-test";

/** A data directory or PostgreSQL database that several servers open one after the other. */
export async function makePlace(kind: DatabaseKind) {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-kill-"));
  const postgres = kind === "postgresql" ? await ownPostgresDatabase() : undefined;
  const env = {
    DATA_DIR: directory,
    RATE_LIMITS: "off",
    ...(postgres && {
      DATABASE_URL: postgres.url,
      ADMIN_TOKEN,
      MASTER_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    }),
  };
  return {
    env,
    adminToken: async () =>
      postgres
        ? ADMIN_TOKEN
        : String(
            JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8")).admin_token,
          ),
    open: () =>
      connectDatabase(
        postgres ? { url: postgres.url } : { directory: path.join(directory, "database") },
      ),
    async [Symbol.asyncDispose]() {
      await postgres?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
