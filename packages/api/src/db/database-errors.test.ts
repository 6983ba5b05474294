import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import { eventually } from "../testing/eventually.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { openDatabaseProxy } from "../testing/servers/database-proxy.ts";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { toHubError } from "../trpc/to-hub-error.ts";
import { isConnectionError } from "./database-errors.ts";
import { MIGRATION_LOCK } from "./migrations/migration-lock.ts";

const QUERY_TIMEOUT_MS = 6_000;

describe("a connection error", () => {
  it.each([
    Object.assign(new Error("gone"), { code: "57P01" }),
    new SuppressedError(new Error("not closed"), Object.assign(new Error(), { code: "57P01" })),
    Object.assign(new Error("failure"), { code: "08006" }),
    Object.assign(new Error("unable"), { code: "08001" }),
    Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    Object.assign(new Error("reset"), { code: "ECONNRESET" }),
    new Error("Connection terminated unexpectedly"),
    new Error("wrapped", { cause: new Error("Query read timeout") }),
  ])("is %s, and the caller may retry", (error) => {
    const failure = toHubError(error);
    expect([failure.code, failure.retryAfter, failure.cause]).toEqual(["overloaded", 5, error]);
  });

  it.each([Object.assign(new Error("twice"), { code: "23505" }), new Error("bug"), null])(
    "is not %s",
    (error) => expect(isConnectionError(error)).toBe(false),
  );
});

describe.runIf(testDatabases().includes("postgresql"))(
  "a PostgreSQL server that stops answering",
  () => {
    it("fails calls after the timeout and serves them after its return", {
      timeout: 60_000,
    }, async () => {
      await using own = await ownPostgresDatabase();
      await using proxy = await openDatabaseProxy(own.url);
      const database = await connectDatabase({ url: proxy.url, queryTimeoutMs: QUERY_TIMEOUT_MS });
      await using hub = await startTestHub({ database });
      const guest = hub.guest();
      expect((await guest.get("/readyz")).status).toBe(200);

      proxy.drop("everything");
      const asked = performance.now();
      const call = guest.get("/api/souls");
      const ready = await guest.get("/readyz");
      expect([ready.status, ready.body.database]).toEqual([503, "down"]);
      expect(performance.now() - asked).toBeLessThan(QUERY_TIMEOUT_MS);
      const { status, body, headers } = await call;
      expect([status, body.error, headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
      expect(hub.log.join("")).toContain("the database is unavailable");

      proxy.drop("nothing");
      await eventually(async () => expect((await guest.get("/readyz")).status).toBe(200));
      expect((await guest.get("/api/souls")).status).toBe(200);
    });

    it("cancels statements after 30 seconds by default", async () => {
      await using own = await ownPostgresDatabase();
      const database = await connectDatabase({ url: own.url });
      const { rows } = await sql<{
        statement_timeout: string;
      }>`show statement_timeout`.execute(database.db);
      await database.close();
      expect(rows).toEqual([{ statement_timeout: "30s" }]);
    });

    it("sets no timeout for migrations or the wait for the migration lock", async () => {
      await using own = await ownPostgresDatabase();
      const other = new pg.Client(own.url);
      await other.connect();
      await other.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
      const opening = connectDatabase({ url: own.url, queryTimeoutMs: 200 });
      await sleep(1_000);
      await other.end();
      const database = await opening;
      await database.close();
    });
  },
);
