import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testDatabases } from "../../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../../souls.fixture.ts";
import { changeAsFirstRelease, defineFirstChangeSoul } from "./first-release.fixture.ts";
import { createVersionNumbering } from "./version-numbering.ts";

/** The function of the first release, which a server may still run while a newer one starts. */
const FIRST = "first_change_soul";

/** Tests the upgrade of decision 0037. */
describe.each(testDatabases())("versions of the first release on %s", (database) => {
  let hub: PeopledHub;
  /** The id of a soul whose texts were `one` to `four`, changed by a server of the first release. */
  let id: number;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    await defineFirstChangeSoul(hub.db, FIRST);
  });
  beforeEach(async () => {
    // The tests count the souls that a backfill finds.
    await number();
    id = await publishFirst();
  });
  afterAll(async () => {
    await sql`drop function ${sql.ref(FIRST)}`.execute(hub.db);
    await hub.close();
  });

  const publishFirst = async () => {
    const soul = await hub.publish({ content: "one" });
    for (const content of ["two", "three", "four"]) await changeFirst(content, soul);
    return soul;
  };
  const changeFirst = (content: string, soul = id) =>
    changeAsFirstRelease(hub.db, { id: soul, content }, FIRST);
  const edit = (changes: object) => hub.ada.put(`/api/soul/${id}`, changes);
  const get = async (path: string) => (await hub.guest().get(path)).body.data;
  const number = (isPaused = () => false) =>
    createVersionNumbering({
      db: hub.db,
      maintenance: hub.hub.maintenance,
      log: hub.hub.log,
      isPaused,
    })();
  const stored = (soul = id) =>
    hub.db
      .selectFrom("soul_versions")
      .select(["number", "content"])
      .where("soul_id", "=", soul)
      .orderBy("id")
      .execute();
  const storedNumbers = async (soul = id) => (await stored(soul)).map((row) => row.number);
  const listed = async () =>
    (await get(`/api/versions?soul_id=${id}`)).map((one: { number: number; content: string }) => [
      one.number,
      one.content,
    ]);
  /** Everything that the API says about the versions of a soul. */
  const answers = async (soul: number) => ({
    soul: await get(`/api/soul/${soul}`),
    list: await get(`/api/versions?soul_id=${soul}`),
    brief: await get(`/api/versions?soul_id=${soul}&content=false`),
    each: await Promise.all(
      [1, 2, 3, 4].map((one) => get(`/api/version?soul_id=${soul}&number=${one}`)),
    ),
    diff: await get(`/api/version-diff?soul_id=${soul}&from=2`),
    last: await get(`/api/version-diff?soul_id=${soul}`),
  });

  it("have their numbers before the backfill", async () => {
    expect(await storedNumbers()).toEqual([null, null, null]);
    const { soul, list, each, diff, last } = await answers(id);
    expect(soul).toMatchObject({ version: 4, version_note: null, content: "four" });
    expect(list.map((one: { number: number }) => one.number)).toEqual([3, 2, 1]);
    expect(each.map((one) => [one.number, one.content])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
      [4, "four"],
    ]);
    expect([diff.from, diff.to, last.from, last.to]).toEqual([2, 4, 3, 4]);
  });

  it("read the same before, during and after a backfill that is interrupted and repeated", async () => {
    const souls = [id, await publishFirst(), await publishFirst()];
    const before = await Promise.all(souls.map(answers));
    let calls = 0;
    await number(() => ++calls > 2);
    const numbers = await Promise.all(souls.map((soul) => storedNumbers(soul)));
    expect(numbers).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [null, null, null],
    ]);
    expect(await Promise.all(souls.map(answers))).toEqual(before);
    for (const run of ["the second", "the third"]) {
      await number();
      expect([run, await storedNumbers(souls[2])]).toEqual([run, [1, 2, 3]]);
      expect(await Promise.all(souls.map(answers))).toEqual(before);
    }
  });

  it("are not numbered during maintenance, and by the next run after it", async () => {
    hub.hub.maintenance.begin();
    await number().finally(() => hub.hub.maintenance.end());
    expect(await storedNumbers()).toEqual([null, null, null]);
    await number();
    expect(await storedNumbers()).toEqual([1, 2, 3]);
  });

  it("are numbered by the next change of their soul", async () => {
    const { body } = await edit({ content: "five", note: "Fifth." });
    expect(body.version).toBe(5);
    expect(await storedNumbers()).toEqual([1, 2, 3, 4]);
    expect(await hub.read(id)).toMatchObject({ version: 5, version_note: "Fifth." });
  });

  it("can be hidden, described and restored before the backfill", async () => {
    const set = (one: number, settings: object) =>
      hub.ada.put("/api/version", { soul_id: id, number: one, ...settings });
    expect((await set(2, { is_hidden: true, note: "Second." })).status).toBe(200);
    expect(await listed()).toEqual([
      [3, "three"],
      [1, "one"],
    ]);
    const other = await publishFirst();
    const [, , first] = await get(`/api/versions?soul_id=${other}`);
    await hub.ada.post("/api/versions", { soul_id: other, version_id: first.id });
    expect(await hub.read(other)).toMatchObject({
      content: "one",
      version: 5,
      version_note: "Restored from version 1.",
    });
  });

  it("continue when a server of the first release changes the soul meanwhile", async () => {
    const change = (content: string) => changeAsFirstRelease(hub.db, { id, content });
    await change("five");
    await edit({ content: "six", note: "Sixth." });
    await change("seven");
    await edit({ content: "eight", note: "Eighth." });
    expect(await hub.read(id)).toMatchObject({ version: 8, version_note: "Eighth." });
    expect(await listed()).toEqual([
      [7, "seven"],
      [6, "six"],
      [5, "five"],
      [4, "four"],
      [3, "three"],
      [2, "two"],
      [1, "one"],
    ]);
    const sixth = await get(`/api/version?soul_id=${id}&number=6`);
    const seventh = await get(`/api/version?soul_id=${id}&number=7`);
    expect([sixth.note, seventh.note]).toEqual(["Sixth.", null]);
  });

  it("continue after a call that began before the function was replaced", async () => {
    await edit({ content: "five" });
    await changeFirst("six");
    expect(await storedNumbers()).toEqual([1, 2, 3, 4, null]);
    expect(await hub.read(id)).toMatchObject({ version: 6, content: "six" });
    expect((await listed())[0]).toEqual([5, "five"]);
    expect((await get(`/api/version?soul_id=${id}&number=5`)).content).toBe("five");
    await number();
    expect(await storedNumbers()).toEqual([1, 2, 3, 4, 5]);
    expect((await edit({ content: "seven" })).body.version).toBe(7);
  });

  it("keep the note of their state after such calls", async () => {
    await edit({ content: "five", note: "Fifth." });
    await changeFirst("six");
    await changeFirst("seven");
    await number();
    const notes = await Promise.all(
      [4, 5, 6, 7].map(async (one) => (await get(`/api/version?soul_id=${id}&number=${one}`)).note),
    );
    expect(notes).toEqual([null, "Fifth.", null, null]);
  });

  it("keep the signature of their state after such calls", async () => {
    await edit({ content: "five" });
    const signature = { statement: "the statement of version 5" };
    await sql`update souls set signature = ${JSON.stringify(signature)}::jsonb where id = ${id}`.execute(
      hub.db,
    );
    await changeFirst("six");
    await number();
    const stored = await sql<{ signature: unknown }>`
      select signature from soul_versions where soul_id = ${id} and number >= 4
      union all select signature from souls where id = ${id}`.execute(hub.db);
    expect(stored.rows.map((row) => row.signature)).toEqual([null, signature, null]);
  });

  it("are numbered although those of another soul cannot be", async () => {
    const next = await publishFirst();
    await sql
      .raw(`alter table souls add constraint refused check (id <> ${id} or version = 1)`)
      .execute(hub.db);
    await number().finally(() =>
      sql.raw("alter table souls drop constraint refused").execute(hub.db),
    );
    expect(await storedNumbers()).toEqual([null, null, null]);
    expect(await storedNumbers(next)).toEqual([1, 2, 3]);
    expect(hub.log.join("")).toContain("the versions of a soul could not be numbered");
    await number();
    expect(await storedNumbers()).toEqual([1, 2, 3]);
  });

  it("have numbers in the order of their ids after concurrent changes and backfills", async () => {
    await Promise.all(
      upTo(12).flatMap((n) => [
        edit({ content: `new ${n}` }),
        changeAsFirstRelease(hub.db, { id, content: `old ${n}` }),
        changeFirst(`first ${n}`),
        number(),
      ]),
    );
    await number();
    const rows = await stored();
    expect(rows.map((row) => row.number)).toEqual(upTo(39).map((n) => n + 1));
    const present = await hub.read(id);
    expect(present.version).toBe(40);
    const texts = [...rows.map(({ content }) => content), present.content];
    expect(new Set(texts).size).toBe(40);
    expect((await listed()).map(([one]: [number]) => one)).toEqual(upTo(39).map((n) => 39 - n));
  });

  it("of a private soul keep their numbers for the owner alone", async () => {
    await edit({ is_public: 0 });
    await edit({ is_public: 1, content: "six" });
    expect((await listed()).map(([one]: [number]) => one)).toEqual([4, 3, 2, 1]);
    const { body } = await hub.ada.get(`/api/versions?soul_id=${id}`);
    expect(body.data[0].number).toBe(5);
  });
});
