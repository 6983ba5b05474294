import { startHttpLoad } from "../load/http-load.ts";
import type { Question } from "../load/load-protocol.ts";
import { type Bench, HUB, type Scenario } from "../runner/bench.ts";
import { takeTurns } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { contendersOf, REFERENCE } from "./contenders.ts";
import { compareReads } from "./soul-reads.ts";
import { soulWritesOf, WRITERS } from "./soul-writes.ts";

const CONNECTIONS = 64;
const ROUNDS = 6;

interface Row {
  name: string;
  /** The minimum ratio of requests per second to the reference's. */
  goal: number;
  /** The maximum ratio of the 99th percentile to the reference's. */
  p99?: number;
  /** Compares the responses of all contenders. Returns the requests of each, by its name. */
  prepare(stage: Stage): Promise<Map<string, Question[]>>;
  /** Checks what the load has written. */
  check?(stage: Stage): Promise<void>;
}

const writeRow = (name: string, key: "like" | "change"): Row => ({
  name,
  goal: 1,
  async prepare(stage) {
    const writes = await soulWritesOf(stage);
    await writes.compare(writes[key]);
    return new Map(WRITERS.map((writer) => [writer, writes[key]]));
  },
  check: async (stage) => (await soulWritesOf(stage)).checkTables(),
});

const rows: Row[] = [
  {
    name: "GET /api/soul/{id}",
    goal: 1,
    p99: 1.5,
    async prepare(stage) {
      const contenders = await contendersOf(stage);
      const [shown, hidden] = [contenders.souls.publicIds, contenders.souls.privateIds].map((ids) =>
        ids.map((id) => `/api/soul/${id}`),
      );
      return compareReads(contenders, shown ?? [], hidden);
    },
  },
  {
    name: "GET /api/souls?limit=20",
    goal: 3,
    prepare: async (stage) => compareReads(await contendersOf(stage), ["/api/souls?limit=20"]),
  },
  writeRow("POST /api/like", "like"),
  writeRow("PUT /api/soul/{id}", "change"),
];

const scenarioOf = ({ name, goal, p99, prepare, check }: Row): Scenario => ({
  name,
  atMostSeconds: 120,
  async run(stage) {
    const questions = await prepare(stage);
    const { servers } = await contendersOf(stage);
    const load = await stage.share("load", async () => startHttpLoad(stage));
    const contenders = servers.filter((server) => questions.has(server.name));
    const table = await takeTurns(stage, contenders, ROUNDS, (server) =>
      load(server, { connections: CONNECTIONS, questions: questions.get(server.name) ?? [] }),
    );
    await check?.(stage);
    const between = { of: HUB, to: REFERENCE };
    return {
      table,
      goals: [
        ratioGoal(table, "requests/s", { ...between, atLeast: goal }),
        ...(p99 ? [ratioGoal(table, "p99 ms", { ...between, atMost: p99 })] : []),
      ],
    };
  },
});

/** How fast is REST next to a minimal server? */
export const bench: Bench = { scenarios: rows.map(scenarioOf) };
