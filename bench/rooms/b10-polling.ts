import type { LoadResult, Question } from "../rest/load/load-protocol.ts";
import { startGenerator } from "../rest/load/start-generator.ts";
import { type ProcessUse, watchProcess } from "../rest/pinned-process.ts";
import { scansBetween, tableScans } from "./faults/database-witness.ts";
import { median } from "./faults/median.ts";
import { startRoomHub } from "./faults/room-hub.ts";
import type { Row } from "./row.ts";

const ROOMS = 50;
const POLLERS_PER_ROOM = 4;
const CONNECTIONS = 64;
const ROUNDS = 6;
const SLICE_SECONDS = 2;
const GENERATOR_CORE = 1;
const GOAL = 0.6;
/** What chat-sync may ask: who calls, which soul, which room, which messages. */
const TABLES = ["accounts", "souls", "chat_rooms", "chat_messages"];
/** Every room's door is read anew so often (packages/api/src/rooms/room-limits.ts). */
const RECHECK_SECONDS = 30;
const TABLES_PER_DOOR = 3;

type Sample = LoadResult & { use: ProcessUse | null };

export const row: Row = {
  id: "B10",
  work: "chat-sync with nothing new",
  atMostSeconds: 120,
  async run({ newDatabase, onEnd }) {
    const databaseUrl = await newDatabase();
    const hub = await startRoomHub({ databaseUrl, onEnd });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const polls: Question[] = [];
    for (const { soul_id, session_token } of await hub.rooms(ROOMS)) {
      const address = `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}`;
      for (let n = 0; n < POLLERS_PER_ROOM; n++) {
        polls.push(await pollOf(server.port, address));
      }
    }
    const generator = startGenerator(GENERATOR_CORE);
    const load = (questions: Question[]) =>
      generator.load({
        port: server.port,
        connections: CONNECTIONS,
        seconds: SLICE_SECONDS,
        questions,
      });
    const work = { "/healthz": [{ path: "/healthz", answerBytes: null }], "chat-sync": polls };
    for (const questions of Object.values(work)) await load(questions);

    const scans = await tableScans(databaseUrl);
    const startedAt = performance.now();
    const samples = new Map<string, Sample[]>(Object.keys(work).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, questions] of Object.entries(work)) {
        const watch = watchProcess(server.process);
        const result = await load(questions);
        samples.get(name)?.push({ ...result, use: watch.read() });
      }
    }
    const read = scansBetween(scans, await tableScans(databaseUrl));
    const seconds = (performance.now() - startedAt) / 1_000;
    const reads = TABLES.reduce((sum, table) => sum + (read[table] ?? 0), 0);

    const of = (name: string, key: keyof LoadResult) =>
      median((samples.get(name) ?? []).map((sample) => sample[key]));
    const rate = (name: string) => of(name, "requestsPerSecond");
    const calls = rate("chat-sync") * SLICE_SECONDS * ROUNDS;
    const mayRead = ROOMS * TABLES_PER_DOOR * Math.ceil(seconds / RECHECK_SECONDS);
    const ratio = rate("chat-sync") / rate("/healthz");
    const failures = [...samples.values()].flat().reduce((sum, one) => sum + one.failures, 0);
    return {
      figures: Object.keys(work).map((name) => ({
        contender: name,
        values: {
          "requests/s": rate(name).toFixed(0),
          ratio: (rate(name) / rate("/healthz")).toFixed(2),
          "p99 ms": of(name, "p99Ms").toFixed(1),
          "CPU µs/request": median(
            (samples.get(name) ?? []).map(
              (one) =>
                ((one.use?.cpuMs ?? Number.NaN) * 1_000) / one.requestsPerSecond / one.seconds,
            ),
          ).toFixed(0),
          failures: String((samples.get(name) ?? []).reduce((sum, one) => sum + one.failures, 0)),
          "reads in all": name === "chat-sync" ? `${reads} for ${calls.toFixed(0)} calls` : "",
        },
      })),
      clientCpu: of("chat-sync", "generatorCpu"),
      verdicts: [
        {
          goal: `≥ ${GOAL} × the health route`,
          measured: `${ratio.toFixed(2)} ×, ${failures} failures`,
          isReached: ratio >= GOAL && failures === 0,
        },
        {
          goal: "no query but each room's door every 30 s",
          measured: `${reads} reads, ${mayRead} are the doors'`,
          isReached: reads <= mayRead,
        },
      ],
    };
  },
};

/** Somebody with a cookie of their own, who holds all there is. */
async function pollOf(port: number, address: string): Promise<Question> {
  const answer = await fetch(`http://127.0.0.1:${port}${address}`);
  const { head } = (await answer.json()) as { head: number };
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const path = `${address}&last_id=${head}`;
  const again = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
  const body = (await again.json()) as { new_messages: unknown[] };
  if (again.status !== 200 || body.new_messages.length > 0)
    throw new Error("There is something new.");
  return { path, answerBytes: null, cookie };
}
