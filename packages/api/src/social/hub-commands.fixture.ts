import fc from "fast-check";
import { expect } from "vitest";
import { type Actor, type Answer, createActor } from "../testing/actor.ts";
import type { TestHub } from "../testing/test-hub.ts";
import type { HubModel, SoulText } from "./hub-model.fixture.ts";

/** Number of accounts at the start of each run. The command `register` can add one. */
export const REGISTERED = 3;

/** The hub that the random commands test, with one REST client per account. */
export interface Real {
  hub: TestHub;
  actors: Actor[];
}

const text: fc.Arbitrary<SoulText> = fc.record({
  title: fc.constantFrom("Ada", "Mira", "Zoë 🪐"),
  description: fc.constantFrom("", "kind", "a 'quoted' \\ one"),
  content: fc.constantFrom("# Be kind", '{"SOUL.md": "x"}', "\ufeff\r\n text", '{"a": 1}'),
  role: fc.constantFrom("Other", "travel", "games"),
  domain: fc.constantFrom("", "sea", "sky", "law"),
  compatibility: fc.constantFrom("any", "one model"),
});
const someText = fc
  .tuple(text, fc.subarray(["title", "content", "role", "domain"] as const, { minLength: 1 }))
  .map(([whole, keys]) => Object.fromEntries(keys.map((key) => [key, whole[key]])));
const who = fc.nat({ max: 3 });
/**
 * The sender of a request that is reserved for the owner: usually the owner, sometimes another
 * account.
 */
const ownerOrOther = fc.oneof(
  { weight: 3, arbitrary: fc.constant("owner" as const) },
  { weight: 1, arbitrary: who },
);
const nth = fc.nat({ max: 9 });
const isPublic = fc.boolean();

type Step = (model: HubModel, real: Real) => Promise<void>;
const command = <Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  step: (input: Input) => Step,
): fc.Arbitrary<fc.AsyncCommand<HubModel, Real>> =>
  inputs.map((input) => ({
    check: () => true,
    run: step(input),
    toString: () => `${name}(${fc.stringify(input)})`,
  }));

/** Returns the error code of a response, or undefined for a success. */
export const failureOf = ({ status, body }: Answer): string | undefined => {
  expect(body.success).toBe(status === 200);
  return body.error;
};
const pick = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;
export const guestOf = ({ hub }: Real) => hub.guest();

/** Declares a random command on one soul, which may already be deleted. */
const aboutSoul = <Input extends { who: number | "owner"; nth: number }>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  step: (model: HubModel, actor: Actor, id: number, input: Input, real: Real) => Promise<void>,
) =>
  command(name, inputs, (input) => async (model, real) => {
    const id = model.soulId(input.nth);
    if (id === undefined) return;
    const owner = real.actors.find(({ name }) => name === model.find(id)?.owner);
    const actor = typeof input.who === "number" ? pick(real.actors, input.who) : owner;
    await step(model, actor ?? pick(real.actors, 0), id, input, real);
  });

/** Reads the versions of a soul. Compares them, or the error code, with the model. */
export async function expectVersions(
  model: HubModel,
  id: number,
  actor: Actor,
  name: string | null,
) {
  const answer = await actor.get(`/api/versions?soul_id=${id}`);
  expect(failureOf(answer)).toBe(model.hidden(id, name));
  const soul = model.find(id);
  if (!soul || answer.status !== 200) return [];
  const expected = model.versionsFor(soul, name);
  expect(answer.body.count).toBe(expected.length);
  expect(answer.body.data).toEqual(
    expected.map((version) => expect.objectContaining({ soul_id: id, ...version })),
  );
  return answer.body.data as { id: number }[];
}

const [
  register,
  rotate,
  publish,
  update,
  remove,
  restore,
  like,
  rate,
  fork,
  concurrent,
  readVersions,
] = [
  command("register", fc.constant({}), () => async (model, real) => {
    if (real.actors.length > REGISTERED) return;
    const actor = await real.hub.member(`late-${crypto.randomUUID().slice(0, 8)}`);
    real.actors.push(actor);
    model.accounts.push(actor.name);
  }),
  command("rotate", fc.record({ who }), (input) => async (_, real) => {
    const old = pick(real.actors, input.who);
    const { body } = await old.post("/api/api-key/rotate");
    expect(failureOf(await old.get("/api/my-souls"))).toBe("unauthenticated");
    const { name } = old;
    const renewed = createActor({ name, apiKey: body.api_key, baseUrl: () => real.hub.url });
    real.actors[real.actors.indexOf(old)] = renewed;
  }),
  command("publish", fc.record({ who, text, isPublic }), (input) => async (model, real) => {
    const actor = pick(real.actors, input.who);
    const is_public = input.isPublic ? 1 : 0;
    const answer = await actor.post("/api/souls", { ...input.text, is_public });
    expect(failureOf(answer)).toBeUndefined();
    model.publish(answer.body.id, actor.name, input.text, input.isPublic);
  }),
  aboutSoul(
    "update",
    fc.record({
      who: ownerOrOther,
      nth,
      changes: someText,
      isPublic: fc.option(isPublic, { nil: undefined }),
    }),
    async (model, actor, id, input) => {
      const is_public = input.isPublic === undefined ? undefined : Number(input.isPublic);
      const answer = await actor.put(`/api/soul/${id}`, { ...input.changes, is_public });
      expect(failureOf(answer)).toBe(model.locked(id, actor.name));
      const soul = model.find(id);
      if (soul && answer.status === 200) model.change(soul, input.changes, input.isPublic);
    },
  ),
  aboutSoul("delete", fc.record({ who: ownerOrOther, nth }), async (model, actor, id) => {
    const answer = await actor.delete(`/api/soul/${id}`);
    expect(failureOf(answer)).toBe(model.locked(id, actor.name));
    const soul = model.find(id);
    if (soul && answer.status === 200) model.delete(soul);
  }),
  aboutSoul(
    "restore",
    fc.record({
      who: ownerOrOther,
      nth,
      version: nth,
      foreign: fc.constantFrom(false, false, false, true),
    }),
    async (model, actor, id, input) => {
      const from = input.foreign ? (model.soulId(input.nth + 1) ?? id) : id;
      const versions = await expectVersions(model, from, actor, actor.name);
      const version_id = pick(versions, input.version)?.id ?? 1_000_000_000;
      const answer = await actor.post("/api/versions", { soul_id: id, version_id });
      const soul = model.find(id);
      const missing = from !== id || versions.length === 0 ? "version_not_found" : undefined;
      expect(failureOf(answer)).toBe(model.locked(id, actor.name) ?? missing);
      if (!soul || answer.status !== 200) return;
      model.change(soul, pick(model.versionsFor(soul, actor.name), input.version));
    },
  ),
  aboutSoul("like", fc.record({ who, nth }), async (model, actor, id) => {
    const answer = await actor.post("/api/like", { soul_id: id });
    expect(failureOf(answer)).toBe(model.hidden(id, actor.name));
    const likes = model.find(id)?.likes;
    if (!likes || answer.status !== 200) return;
    if (!likes.delete(actor.name)) likes.add(actor.name);
    expect(answer.body.liked).toBe(likes.has(actor.name));
  }),
  aboutSoul(
    "rate",
    fc.record({ who, nth, rating: fc.integer({ min: 1, max: 5 }) }),
    async (model, actor, id, { rating }) => {
      const answer = await actor.post("/api/rate", { soul_id: id, rating });
      expect(failureOf(answer)).toBe(model.hidden(id, actor.name));
      const ratings = model.find(id)?.ratings;
      if (!ratings || answer.status !== 200) return;
      ratings.set(actor.name, rating);
      expect(answer.body).toMatchObject(model.rated(ratings));
    },
  ),
  aboutSoul("fork", fc.record({ who, nth }), async (model, actor, id) => {
    const answer = await actor.post("/api/fork", { soul_id: id });
    const soul = model.find(id);
    const closed = soul?.isPublic ? undefined : "soul_not_public";
    expect(failureOf(answer)).toBe(model.hidden(id, actor.name) ?? closed);
    if (!soul || answer.status !== 200) return;
    soul.forks++;
    model.publish(answer.body.new_soul_id, actor.name, soul.text, false, soul);
  }),
  // The command `concurrent` makes calls that commute: the result does not depend on their order.
  aboutSoul("concurrent", fc.record({ who, nth }), async (model, _, id, input, real) => {
    const answers = await Promise.all(
      real.actors.flatMap((actor, n) => [
        actor.post("/api/like", { soul_id: id }),
        actor.post("/api/rate", { soul_id: id, rating: ((input.who + n) % 5) + 1 }),
      ]),
    );
    const soul = model.find(id);
    for (const [n, { name }] of real.actors.entries()) {
      const failure = model.hidden(id, name);
      for (const answer of answers.slice(2 * n, 2 * n + 2)) expect(failureOf(answer)).toBe(failure);
      if (!soul || failure) continue;
      if (!soul.likes.delete(name)) soul.likes.add(name);
      soul.ratings.set(name, ((input.who + n) % 5) + 1);
    }
  }),
  aboutSoul("readVersions", fc.record({ who, nth }), async (model, actor, id, _, real) => {
    await expectVersions(model, id, actor, actor.name);
    await expectVersions(model, id, guestOf(real), null);
  }),
] as const;

/**
 * The random commands. Each runs on the hub and on the model, and compares the results. Repeated
 * entries are chosen more often.
 */
export const commands = [
  ...[publish, publish, publish, update, update, update, restore, restore, restore],
  ...[fork, fork, like, like, rate, concurrent, remove, readVersions, register, rotate],
];
