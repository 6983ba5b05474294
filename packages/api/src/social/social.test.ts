import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callFunction } from "../db/sql-functions.ts";
import { type PeopledHub, startPeopledHub } from "../souls/souls.fixture.ts";
import type { Actor } from "../testing/actor.ts";
import { ruleDatabase } from "../testing/test-database.ts";
import { fork, like, rate } from "./social.fixture.ts";

describe("social", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ({ ada, bob } = hub);
  });
  afterAll(() => hub.close());

  describe("POST /api/like", () => {
    it("adds a like and removes it on the second call", async () => {
      const id = await hub.publish();
      const first = await like(bob, id);
      expect([first.status, first.body]).toEqual([
        200,
        { success: true, liked: true, message: expect.any(String) },
      ]);
      expect((await hub.read(id)).like_count).toBe(1);
      expect((await like(bob, id)).body.liked).toBe(false);
      expect((await hub.read(id)).like_count).toBe(0);
      expect((await like(bob, id)).body.liked).toBe(true);
    });

    it("counts one like per account, including the owner", async () => {
      const id = await hub.publish();
      for (const actor of [ada, bob]) await like(actor, id);
      expect((await hub.read(id)).like_count).toBe(2);
    });

    it("does not change updated_at, and neither do rate and fork", async () => {
      const id = await hub.publish();
      const { updated_at } = await hub.read(id);
      await hub.moveClock("1 hour");
      await like(bob, id);
      await rate(bob, id, 3);
      await fork(bob, id);
      await hub.moveClock("0");
      expect((await hub.read(id)).updated_at).toBe(updated_at);
    });
  });

  it("keeps toggle_like for servers of the previous release", async () => {
    const { id: liker } = await hub.db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", "bob")
      .executeTakeFirstOrThrow();
    const soul = { of_soul: await hub.publish(), liker };
    expect(await callFunction(hub.db, "toggle_like", soul)).toEqual([
      { soul_title: "A soul", liked: true },
    ]);
    expect((await hub.read(soul.of_soul)).like_count).toBe(1);
    // Such a server passes null where it has found a block.
    expect(await callFunction(hub.db, "toggle_like", { ...soul, of_soul: null })).toEqual([
      { soul_title: null, liked: null },
    ]);
  });

  describe("GET /api/my-marks", () => {
    it("returns the caller's own like and rating", async () => {
      const id = await hub.publish();
      const marks = async (actor: Actor) => (await actor.get(`/api/my-marks?soul_id=${id}`)).body;
      expect(await marks(bob)).toEqual({ success: true, liked: false, rating: null });
      await like(bob, id);
      await rate(bob, id, 4);
      expect(await marks(bob)).toEqual({ success: true, liked: true, rating: 4 });
      expect(await marks(ada)).toEqual({ success: true, liked: false, rating: null });
      await like(bob, id);
      expect((await marks(bob)).liked).toBe(false);
    });
  });

  describe("POST /api/rate", () => {
    it("stores the latest rating per account and returns the aggregates", async () => {
      const id = await hub.publish();
      const { status, body } = await rate(ada, id, 5);
      expect([status, body]).toEqual([
        200,
        { success: true, message: expect.any(String), avg_rating: 5, total_ratings: 1 },
      ]);
      expect((await rate(bob, id, 2)).body).toMatchObject({ avg_rating: 3.5, total_ratings: 2 });
      expect((await rate(bob, id, 4)).body).toMatchObject({ avg_rating: 4.5, total_ratings: 2 });
      expect((await rate(bob, id, 4)).body).toMatchObject({ avg_rating: 4.5, total_ratings: 2 });
      expect(await hub.read(id)).toMatchObject({ avg_rating: 4.5, total_ratings: 2 });
    });

    it.each([0, 6, -1, 2.5, "5", null, undefined, true])(
      "refuses the rating %j",
      async (rating) => {
        const { status, body } = await rate(bob, await hub.publish(), rating);
        expect([status, body.error, body.details[0].field]).toEqual([
          400,
          "invalid_input",
          "rating",
        ]);
      },
    );
  });

  describe("POST /api/fork", () => {
    it("copies a public soul into the caller's workspace as private", async () => {
      const text = {
        title: "Original",
        description: "d",
        content: '{"SOUL.md": "x"}',
        role: "travel",
        domain: "forked",
        compatibility: "c",
      };
      const id = await hub.publish(text);
      await like(ada, id);
      await rate(ada, id, 5);
      const { status, body } = await fork(bob, id);
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          new_soul_id: expect.any(Number),
          url: `${hub.url}/soul/${body.new_soul_id}`,
          message: expect.any(String),
        },
      ]);
      expect(await hub.read(body.new_soul_id, bob)).toMatchObject({
        ...text,
        username: "bob",
        file_type: "full_soul_folder",
        is_public: 0,
        forked_from: id,
        like_count: 0,
        fork_count: 0,
        avg_rating: 0,
        total_ratings: 0,
      });
      expect((await ada.get(`/api/soul/${body.new_soul_id}`)).status).toBe(404);
      expect((await hub.read(id)).fork_count).toBe(1);
      const tag = await hub.db
        .selectFrom("domain_tags")
        .select("uses")
        .where("domain", "=", "forked")
        .executeTakeFirst();
      expect(tag?.uses).toBe(2);
    });

    it("counts all forks ever made; a fork remains when the original is deleted", async () => {
      const id = await hub.publish();
      const forks = [await fork(bob, id), await fork(bob, id), await fork(ada, id)];
      await bob.delete(`/api/soul/${forks[0]?.body.new_soul_id}`);
      expect((await hub.read(id)).fork_count).toBe(3);
      await ada.delete(`/api/soul/${id}`);
      const remaining = await hub.read(forks[1]?.body.new_soul_id, bob);
      expect(remaining).toMatchObject({ content: "# Be kind", forked_from: id });
    });
  });

  it.each(["/api/like", "/api/rate", "/api/fork"])(
    "%s refuses an invalid soul_id",
    async (path) => {
      for (const soul_id of [0, -1, 1.5, "1", null, undefined, 2 ** 53]) {
        const { status, body } = await bob.post(path, { soul_id, rating: 3 });
        expect([soul_id, status, body.error]).toEqual([soul_id, 400, "invalid_input"]);
      }
    },
  );

  it("deletes likes and ratings together with the soul", async () => {
    const id = await hub.publish();
    await like(bob, id);
    await rate(bob, id, 1);
    await ada.delete(`/api/soul/${id}`);
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from likes where soul_id = ${id})
        + (select count(*) from ratings where soul_id = ${id}) as left`.execute(hub.db);
    expect(Number(rows[0]?.left)).toBe(0);
  });
});
