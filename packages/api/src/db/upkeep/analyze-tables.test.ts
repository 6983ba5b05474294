import { sql } from "kysely";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { tablesToAnalyze } from "./analyze-tables.ts";
import { Upkeep } from "./upkeep.ts";

describe("tablesToAnalyze", () => {
  it("names a table again after more than a tenth of its rows changed", async () => {
    const database = await connectDatabase();
    const { db } = database;
    const upkeep = new Upkeep({ db, registry: new Registry() });
    const addAccounts = (from: number, to: number) =>
      sql`insert into accounts (username, username_key)
        select 'name' || n, 'name' || n from generate_series(${from}::int, ${to}::int) n`.execute(
        db,
      );
    const rowEstimate = async () => {
      const { rows } = await sql<{ reltuples: number }>`
        select reltuples from pg_class where relname = 'accounts'`.execute(db);
      return rows[0]?.reltuples;
    };
    try {
      await addAccounts(1, 1_000);
      expect(await tablesToAnalyze(db)).toContain("accounts");
      await upkeep.analyze();
      expect(await rowEstimate()).toBe(1_000);
      await addAccounts(1_001, 1_100);
      expect(await tablesToAnalyze(db)).toEqual([]);
      await addAccounts(1_101, 1_200);
      expect(await tablesToAnalyze(db)).toEqual(["accounts"]);
      await upkeep.analyze();
      expect(await rowEstimate()).toBe(1_200);
    } finally {
      await database.close();
    }
  });
});
