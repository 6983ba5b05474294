import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import {
  commands,
  expectVersions,
  failureOf,
  guestOf,
  REGISTERED,
  type Real,
} from "./hub-commands.fixture.ts";
import { HubModel } from "./hub-model.fixture.ts";

/** Compares every soul for every viewer, every profile, and the counters with their tables. */
async function expectAgreement(model: HubModel, real: Real): Promise<void> {
  const viewers = [...real.actors, guestOf(real)];
  const known = [...model.souls.map(({ id }) => id), ...model.deleted];
  await Promise.all(
    known.flatMap((id) =>
      viewers.map(async (actor) => {
        const name = actor.apiKey ? actor.name : null;
        const answer = await actor.get(`/api/soul/${id}`);
        expect(failureOf(answer)).toBe(model.hidden(id, name));
        const soul = model.find(id);
        if (soul && answer.status === 200)
          expect(answer.body.data).toMatchObject(model.shown(soul));
        await expectVersions(model, id, actor, name);
      }),
    ),
  );
  for (const name of model.accounts) {
    const { body } = await guestOf(real).get(`/api/profile?username=${name}`);
    const listed = body.souls.map(({ id }: { id: number }) => id);
    expect({ stats: body.stats, ids: listed }).toEqual(model.profile(name));
  }
  const { db } = real.hub.hub.database;
  const tags = await db.selectFrom("domain_tags").selectAll().where("uses", ">", 0).execute();
  expect(Object.fromEntries(tags.map(({ domain, uses }) => [domain, uses]))).toEqual(model.tags());
  const { rows } = await sql`
    select id from souls
    where like_count <> (select count(*) from likes where soul_id = souls.id)
      or (rating_count, rating_sum) <> (
        select count(*), coalesce(sum(rating), 0) from ratings where soul_id = souls.id)
    union all select soul_id from likes where soul_id not in (select id from souls)
    union all select soul_id from soul_versions where soul_id not in (select id from souls)`.execute(
    db,
  );
  expect(rows).toEqual([]);
}

/** @param runs the number of random command sequences */
export function describeSocialModel(runs: number): void {
  describe.each(testDatabases())("the hub compared with a model on %s", (database) => {
    let hub: TestHub;
    let actors: Actor[];
    beforeAll(async () => {
      hub = await startTestHub({ database });
      actors = await Promise.all(["ada", "bob", "eve"].map((name) => hub.member(name)));
    });
    afterAll(() => hub.close());

    const begin = () => {
      const model = new HubModel();
      model.accounts.push(...actors.slice(0, REGISTERED).map(({ name }) => name));
      return { model, real: { hub, actors: [...actors] } };
    };

    it("agrees after random sequences of commands", {
      timeout: 60_000 + runs * 4_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: "max" }), async (steps) => {
          await sql`truncate souls, domain_tags cascade`.execute(hub.hub.database.db);
          const { model, real } = begin();
          try {
            await fc.asyncModelRun(() => ({ model, real }), steps);
            await expectAgreement(model, real);
          } finally {
            // Keeps rotated API keys for the next run, but drops accounts that registered during this
            // run.
            actors = real.actors.slice(0, REGISTERED);
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
