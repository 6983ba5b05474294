import path from "node:path";
import { connectDatabase, type Database } from "@soul-hub/api";
import {
  createEmbedding,
  createWordModel,
  makeUpVectors,
  nearestSouls,
  startChatHub,
} from "@soul-hub/api/testing";
import type { Scenario } from "../runner/bench.ts";
import { quantile } from "../runner/quantile.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";

const QUESTIONS = 60;

// Every soul is near enough, so that each answer reads as many souls as it can.
const model = Object.assign(createWordModel(), { floor: -1 });
const embedding = createEmbedding(model);
if (!embedding) throw new Error("there is no model");

interface Place {
  name: string;
  souls: number;
  /** The goal for the 95th percentile: of whole answers, or of the one statement. */
  goal: { of: "answer" | "statement"; ms: number };
  open(stage: Stage): Promise<Database>;
}

const onPostgres = async (stage: Stage) => connectDatabase({ url: await stage.newDatabase() });
const places: Place[] = [
  {
    name: "PGlite, 10 k",
    souls: 10_000,
    goal: { of: "answer", ms: 150 },
    open: async (stage) =>
      connectDatabase({ directory: path.join(await stage.newDataDirectory(), "database") }),
  },
  { name: "10 k", souls: 10_000, goal: { of: "answer", ms: 60 }, open: onPostgres },
  { name: "100 k", souls: 100_000, goal: { of: "answer", ms: 150 }, open: onPostgres },
  { name: "1 M", souls: 1_000_000, goal: { of: "statement", ms: 800 }, open: onPostgres },
];

/** How long do questions take whose words no soul contains? Each passes all three stages. */
export const meaning: Scenario[] = places.map(({ name, souls, goal, open }) => ({
  name: `meaning, ${name}`,
  atMostSeconds: 900,
  async run(stage) {
    const database = await open(stage);
    const isWhole = goal.of === "answer";
    await makeUpVectors(database.db, {
      souls: stage.size(souls, 100),
      key: embedding.key,
      hasTexts: isWhole,
    });
    const times = { answer: [] as number[], statement: [] as number[] };
    await using hub = isWhole ? await startChatHub({ database, embeddingModel: model }) : undefined;
    if (!hub) stage.onEnd(() => database.close());
    for (let n = 0; n < stage.size(QUESTIONS, 2); n++) {
      const q = `wishing${String.fromCharCode(97 + (n % 26))} about nothingness ${n}`;
      const [vector = new Int8Array()] = await model.embed([q]);
      const begin = performance.now();
      const near = await nearestSouls(database.db, embedding, { vector, role: "" });
      times.statement.push(performance.now() - begin);
      if (near.length === 0) throw new Error("no soul is near");
      if (!hub) continue;
      const asked = performance.now();
      const { body } = await hub.guest().get(`/api/souls?q=${encodeURIComponent(q)}`);
      times.answer.push(performance.now() - asked);
      if (body.data[0]?.match !== "meaning") throw new Error(`${q}: ${JSON.stringify(body)}`);
    }
    const values = Object.entries(times).filter(([, all]) => all.length > 0);
    return {
      table: new Map(
        values.map(([of, all]) => [
          of,
          { "p50 ms": quantile(all, 0.5), "p95 ms": quantile(all, 0.95) },
        ]),
      ),
      goals: [atMost(`p95 of the ${goal.of}`, quantile(times[goal.of], 0.95), goal.ms, " ms")],
    };
  },
}));
