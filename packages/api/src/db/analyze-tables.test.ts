import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { analyzeChangedTables } from "./analyze-tables.ts";
import { connectDatabase } from "./connect.ts";

describe("analyzeChangedTables", () => {
  it("analyses a table again after more than a tenth of its rows changed", async () => {
    const database = await connectDatabase();
    const { db } = database;
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
      expect(await analyzeChangedTables(db)).toContain("accounts");
      expect(await rowEstimate()).toBe(1_000);
      await addAccounts(1_001, 1_100);
      expect(await analyzeChangedTables(db)).toEqual([]);
      await addAccounts(1_101, 1_200);
      expect(await analyzeChangedTables(db)).toEqual(["accounts"]);
      expect(await rowEstimate()).toBe(1_200);
    } finally {
      await database.close();
    }
  });
});
