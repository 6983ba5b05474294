import { createTableModel } from "@soul-hub/api";
import { bitsOf, cosine, embeddedText } from "@soul-hub/api/testing";
import { newMember, ok } from "../processes/member.ts";
import { startHub } from "../processes/server.ts";
import { type Bench, type Goal, HUB, type Scenario } from "../runner/bench.ts";
import { inLanes } from "../runner/lanes.ts";
import type { Values } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import { atLeast, atMost } from "../runner/report.ts";
import { randomFrom } from "../souls/random.ts";
import { slipIn } from "../souls/slip-in.ts";
import { type MadeSoul, manySouls, type Wish } from "./many-souls.ts";

/** The number of souls that the database compares by cosine. */
const CANDIDATES = 200;
const SHOWN = 10;
const PUBLISHERS = 8;
const FILLED_WITHIN_MS = 300_000;

/** Returns the place of the wished soul among the answers, from 0; Infinity if it is not there. */
type Find = (wish: Wish) => Promise<number>;

async function sharesOf(wishes: Wish[], find: Find): Promise<Values> {
  const places: number[] = [];
  for (const wish of wishes) places.push(await find(wish));
  const share = (below: number) => places.filter((place) => place < below).length / places.length;
  return { "in the first 10": share(SHOWN), "first 3": share(3), first: share(1) };
}

const goalsOf = (wishes: Values, slips: Values): Goal[] => [
  atLeast("wishes in the first 10", wishes["in the first 10"] ?? 0, 0.85),
  atLeast("wishes in the first 3", wishes["first 3"] ?? 0, 0.7),
  atMost(
    "lost by a slip in the first 10",
    (wishes["in the first 10"] ?? 0) - (slips["in the first 10"] ?? 0),
    0.1,
  ),
];

/** What the model finds by itself, with vectors in memory. */
const model: Scenario = {
  name: "model",
  atMostSeconds: 600,
  async run(stage) {
    const { souls, wishes, heldOut } = manySouls(stage.size(10_000, 300));
    const model = createTableModel();
    const rssBefore = process.memoryUsage.rss();
    const [asked] = await cpuOf(() => model.embed(["homework help"]));
    const rss = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
    const texts = souls.map(embeddedText);
    const [perSoul, vectors] = await cpuOf(() => model.embed(texts), texts.length);
    const [perWish, wished] = await cpuOf(
      () => Promise.all(wishes.map(({ text }) => model.embed([text]))),
      wishes.length,
    );
    const bits = vectors.map((vector) => BigInt(`0b${bitsOf(vector)}`));
    const placeOf = async ({ text, soul }: Wish, candidates: number) => {
      const [vector = new Int8Array()] = await model.embed([text]);
      const asked = BigInt(`0b${bitsOf(vector)}`);
      const nearest = Array.from(bits, (of, at) => ({ at, distance: ones(of ^ asked) }))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, candidates)
        .map(({ at }) => ({ at, cosine: cosine(vector, vectors[at] ?? new Int8Array()) }))
        .sort((a, b) => b.cosine - a.cosine || a.at - b.at);
      const place = nearest.findIndex(({ at, cosine }) => at === soul && cosine >= model.floor);
      return place < 0 ? Infinity : place;
    };
    const among = (candidates: number) => (wish: Wish) => placeOf(wish, candidates);
    const random = randomFrom(7);
    const slips = wishes.map((wish) => ({ ...wish, text: slipIn(random, wish.text) }));
    const plain = await sharesOf(wishes, among(CANDIDATES));
    const slipped = await sharesOf(slips, among(CANDIDATES));
    const unseen = await sharesOf(heldOut, among(CANDIDATES));
    const table = new Map([
      ["wishes", plain],
      ["wishes, all cosines", await sharesOf(wishes, among(souls.length))],
      ["wishes with a slip", slipped],
      ["held-out wishes", unseen],
    ]);
    await model.close();
    if (wished.length !== wishes.length) throw new Error("a wish has no vector");
    return {
      table,
      goals: [
        ...goalsOf(plain, slipped),
        atLeast("held-out wishes in the first 10", unseen["in the first 10"] ?? 0, 0.75),
        atLeast("held-out wishes in the first 3", unseen["first 3"] ?? 0, 0.6),
        atMost("CPU for 10,000 souls", perSoul * 10, 600, " s"),
        atMost("memory of the model", rss, 10, " MiB"),
      ],
      notes: [
        `CPU: first ${asked.toFixed(1)} ms, a soul ${perSoul.toFixed(2)} ms, a wish ${perWish.toFixed(2)} ms`,
      ],
    };
  },
};

/** What a person finds: text, slips and meaning over REST. */
const hub: Scenario = {
  name: "hub",
  atMostSeconds: 1_200,
  async run(stage) {
    const { souls, wishes } = manySouls(stage.size(10_000, 120));
    const { url } = await startHub(
      stage,
      { DATABASE_URL: await stage.newDatabase() },
      { name: HUB },
    );
    const author = await newMember(url, "author");
    const ids = new Map<number, number>();
    const publish = async ({ soul, at }: { soul: MadeSoul; at: number }) => {
      const { id } = await ok(author.post("/api/souls", soul));
      ids.set(at, id);
    };
    await inLanes(
      PUBLISHERS,
      souls.map((soul, at) => ({ soul, at })),
      publish,
    );
    const filling = performance.now();
    const isFilled = async () => (await ok(author.get("/healthz"))).found.waiting === 0;
    while (!(await isFilled())) {
      if (performance.now() - filling > FILLED_WITHIN_MS) throw new Error("vectors are missing");
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const times: number[] = [];
    const find: Find = async ({ text, soul }) => {
      const begin = performance.now();
      const { data } = await ok(
        author.get(`/api/souls?limit=${SHOWN}&q=${encodeURIComponent(text)}`),
      );
      times.push(performance.now() - begin);
      const place = data.findIndex(({ id }: { id: number }) => id === ids.get(soul));
      return place < 0 ? Infinity : place;
    };
    const random = randomFrom(7);
    const slips = wishes.map((wish) => ({ ...wish, text: slipIn(random, wish.text) }));
    const [plain, slipped] = [await sharesOf(wishes, find), await sharesOf(slips, find)];
    return {
      table: new Map([
        ["wishes", plain],
        ["wishes with a slip", slipped],
      ]),
      goals: [
        ...goalsOf(plain, slipped),
        atMost("p95 of an answer", quantile(times, 0.95), 60, " ms"),
      ],
    };
  },
};

const ones = (bits: bigint) => bits.toString(2).replaceAll("0", "").length;

/** Returns the milliseconds of CPU per piece of work, and its result. */
async function cpuOf<T>(work: () => Promise<T>, pieces = 1): Promise<[number, T]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1_000 / pieces, result];
}

/** Does the search find what people wish for, in other words than the author's? */
export const bench: Bench = { scenarios: [model, hub] };
