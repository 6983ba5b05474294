import type { Question } from "../load/http-connection.ts";
import { httpLoadOf } from "../load/http-load.ts";
import type { Server } from "../processes/server.ts";
import { type Bench, HUB, type Scenario } from "../runner/bench.ts";
import { takeTurns } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { compareAnswers } from "./compare-answers.ts";
import { contendersOf, REFERENCE } from "./contenders.ts";
import { soulWritesOf } from "./soul-writes.ts";

const CONNECTIONS = 64;
const ROUNDS = 6;

interface Row {
  name: string;
  /** The minimum ratio of requests per second to the reference's. */
  goal: number;
  /** The maximum ratio of the 99th percentile to the reference's. */
  p99?: number;
  /** Compares the responses of all contenders. Returns them with the requests of their load. */
  prepare(stage: Stage): Promise<(Server & { questions: Question[] })[]>;
  /** Checks what the load has written. */
  check?(stage: Stage): Promise<void>;
}

const readRow = async (stage: Stage, found: string[], missing: string[] = []) => {
  const { hub, reference, others } = await contendersOf(stage);
  const servers = [reference, hub, ...others];
  const questions = [...found, ...missing].map((path) => ({ path }));
  const statuses = questions.map((_, n) => (n < found.length ? 200 : 404));
  const sizes = await compareAnswers(servers, questions, statuses);
  return servers.map((server) => {
    const bytes = sizes.get(server.name) ?? [];
    return { ...server, questions: found.map((path, n) => ({ path, answerBytes: bytes[n] ?? 0 })) };
  });
};

const writeRow = (name: string, key: "likes" | "changes"): Row => ({
  name,
  goal: 1,
  async prepare(stage) {
    const { hub, reference } = await contendersOf(stage);
    const writes = await soulWritesOf(stage);
    await writes.compare(writes[key]);
    return [hub, reference].map((server) => ({ ...server, questions: writes[key] }));
  },
  check: async (stage) => (await soulWritesOf(stage)).checkTables(),
});

const pathOf = (id: number) => `/api/soul/${id}`;

const rows: Row[] = [
  {
    name: "GET /api/soul/{id}",
    goal: 1,
    p99: 1.5,
    async prepare(stage) {
      const { publicIds, privateIds } = await contendersOf(stage);
      return readRow(stage, publicIds.map(pathOf), privateIds.map(pathOf));
    },
  },
  {
    name: "GET /api/souls?limit=20",
    goal: 3,
    prepare: (stage) => readRow(stage, ["/api/souls?limit=20"]),
  },
  writeRow("POST /api/like", "likes"),
  writeRow("PUT /api/soul/{id}", "changes"),
];

const scenarioOf = ({ name, goal, p99, prepare, check }: Row): Scenario => ({
  name,
  atMostSeconds: 120,
  async run(stage) {
    const contenders = await prepare(stage);
    const load = await httpLoadOf(stage);
    const table = await takeTurns(stage, contenders, ROUNDS, (server) =>
      load(server, { connections: CONNECTIONS, questions: server.questions }),
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
