import { describe, expect, it } from "vitest";
import { lastingDatabase, revertToFirstRelease } from "../../../db/lasting-database.fixture.ts";
import { connectDatabase } from "../../../tables/connect.ts";
import { eventually } from "../../../testing/eventually.ts";
import { testDatabases } from "../../../testing/test-database.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { upTo } from "../../souls.fixture.ts";
import { changeAsFirstRelease, defineFirstChangeSoul } from "./first-release.fixture.ts";

describe.each(testDatabases())("an upgrade from the first release on %s", (kind) => {
  it("numbers all versions soon after the start", async () => {
    await using lasting = await lastingDatabase(kind);
    const ids = await lasting.open(async (db) => {
      await revertToFirstRelease(db);
      await defineFirstChangeSoul(db);
      const owner = await db
        .insertInto("accounts")
        .values({ username: "ada", username_key: "ada" })
        .returning("id")
        .executeTakeFirstOrThrow();
      const souls = await db
        .insertInto("souls")
        .values(
          upTo(120).map((n) => ({
            user_id: owner.id,
            title: `Soul ${n}`,
            content: "state 1",
            file_type: "single_md",
          })),
        )
        .returning("id")
        .execute();
      for (const { id } of souls) {
        for (const n of upTo(2)) await changeAsFirstRelease(db, { id, content: `state ${n + 2}` });
      }
      return souls.map(({ id }) => id);
    });

    const database = await connectDatabase(lasting.options);
    await using hub = await startTestHub({ database });
    await eventually(async () => {
      const unnumbered = database.db.selectFrom("soul_versions").where("number", "is", null);
      expect(await unnumbered.select("id").execute()).toEqual([]);
    });
    for (const id of ids) {
      const { body } = await hub.guest().get(`/api/versions?soul_id=${id}`);
      expect(body.data).toMatchObject([
        { number: 2, content: "state 2" },
        { number: 1, content: "state 1" },
      ]);
      const soul = await hub.guest().get(`/api/soul/${id}`);
      expect(soul.body.data).toMatchObject({ version: 3, content: "state 3" });
    }
  });
});
