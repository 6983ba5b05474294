import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { createWordModel } from "../../embedding/word-model.fixture.ts";
import { eventually } from "../../testing/eventually.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

const settled = ({ hub }: TestHub) =>
  eventually(async () => {
    await hub.searchUpkeep.run();
    expect(hub.searchUpkeep.state).toMatchObject({ waiting: 0, state: "ready" });
  });
const found = async (hub: TestHub, q: string) =>
  (await hub.guest().get(`/api/souls?q=${q}`)).body.data.map(
    ({ title }: { title: string }) => title,
  );

describe.each(testDatabases())("the upkeep of the search (0079) on %s", (kind) => {
  it("embeds souls that no trigger noted, and deletes vectors of souls that no list shows", async () => {
    const database = await emptyDatabase(kind);
    const first = await startTestHub({ database, embeddingModel: createWordModel() });
    const ada = await first.member("ada");
    for (const title of ["Missed", "Hidden"]) {
      await ada.post("/api/souls", { title, description: "For pupils.", content: "Text" });
    }
    await settled(first);
    expect(first.hub.searchUpkeep.state.embedded).toBe(2);
    await first.close();
    await sql`delete from soul_vectors`.execute(database.db);
    await sql`alter table souls disable trigger user`.execute(database.db);
    await sql`update souls set is_listed = false where title = 'Hidden'`.execute(database.db);
    await sql`alter table souls enable trigger user`.execute(database.db);
    await sql`insert into soul_vectors (soul_id, model, priority)
      select id, 'words', 0 from souls where title = 'Hidden'`.execute(database.db);
    await using hub = await startTestHub({ database, embeddingModel: createWordModel() });
    await settled(hub);
    expect(await found(hub, "homework")).toEqual(["Missed"]);
    const { rows } = await sql`select title from soul_vectors join souls on id = soul_id`.execute(
      database.db,
    );
    expect(rows).toEqual([{ title: "Missed" }]);
  });
});

describe.each(testDatabases())("another model (0079) on %s", (kind) => {
  it("embeds all souls anew, popular first, and compares no vector of the former model", async () => {
    const database = await emptyDatabase(kind);
    const former = await startTestHub({ database, embeddingModel: createWordModel() });
    const ada = await former.member("ada");
    for (const title of ["Seldom", "Often", "Never"]) {
      await ada.post("/api/souls", { title, description: "For pupils.", content: "Text" });
    }
    const { data } = (await former.guest().get("/api/souls?q=often")).body;
    await ada.post("/api/like", { soul_id: data[0].id });
    await settled(former);
    expect(await found(former, "homework")).toHaveLength(3);
    await former.close();

    const model = createWordModel({ id: "other words" });
    const { embed } = createWordModel();
    const held = Promise.withResolvers<void>();
    model.instead = async (texts) => {
      if (texts[0] !== "homework") await held.promise;
      return embed(texts);
    };
    await using hub = await startTestHub({ database, embeddingModel: model });
    const running = hub.hub.searchUpkeep.run();
    await eventually(async () => {
      const waiting = await sql<{ title: string }>`select title from soul_vectors
        join souls on id = soul_id where model like 'other words%' and vector is null
        order by priority desc, soul_id desc`.execute(database.db);
      expect(waiting.rows.map(({ title }) => title)).toEqual(["Often", "Never", "Seldom"]);
    });
    expect(await found(hub, "homework")).toEqual([]);
    held.resolve();
    await running;
    await settled(hub);
    expect(await found(hub, "homework")).toHaveLength(3);
    await hub.hub.searchUpkeep.run();
    const { rows } = await sql`select distinct model from soul_vectors`.execute(database.db);
    expect(rows).toHaveLength(1);
  });
});
