import { setTimeout as sleep } from "node:timers/promises";
import { watchProcess } from "../rest/pinned-process.ts";
import { startRoomHub } from "./faults/room-hub.ts";
import { scansBetween, tableScans } from "./faults/table-scans.ts";
import type { Row } from "./row.ts";

const ROOMS = 50;
const POLLERS_PER_ROOM = 8;
const PHASE_SECONDS = 50;
/** The pause before a phase is measured, in which the presence events of the joins are sent. */
const WARM_UP_SECONDS = 5;
/**
 * The pause before the idle hub is measured. Leases of pollers last 30 s, and their rooms close
 * afterwards.
 */
const COOL_DOWN_SECONDS = 40;
const INTERVAL_SECONDS = 2;
const WAIT_SECONDS = 25;
const GOAL = 0.2;
/** The tables that a chat-sync call may query. */
const TABLES = ["accounts", "souls", "chat_rooms", "chat_messages"];
/**
 * The hub checks a poller's access to a room again after this time
 * (packages/api/src/rooms/room-limits.ts).
 */
const RECHECK_SECONDS = 30;
const TABLES_PER_RECHECK = 3;

interface Poller {
  url: string;
  cookie: string;
}

interface Phase {
  name: string;
  query: string;
  /**
   * Seconds between the starts of two calls. With 0, the next call follows the response at once.
   */
  intervalSeconds: number;
}

const phases: Phase[] = [
  { name: `every ${INTERVAL_SECONDS} s`, query: "", intervalSeconds: INTERVAL_SECONDS },
  { name: `wait=${WAIT_SECONDS}`, query: `&wait=${WAIT_SECONDS}`, intervalSeconds: 0 },
];

export const row: Row = {
  id: "B10",
  work: "chat-sync with nothing new",
  atMostSeconds: 360,
  async run({ newDatabase, onEnd }) {
    const databaseUrl = await newDatabase();
    const hub = await startRoomHub({ databaseUrl, onEnd });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const pollers: Poller[] = [];
    for (const { soul_id, session_token } of await hub.rooms(ROOMS)) {
      const query = `soul_id=${soul_id}&session_token=${session_token}`;
      for (let n = 0; n < POLLERS_PER_ROOM; n++) {
        pollers.push(await pollerOf(`http://127.0.0.1:${server.port}/api/chat-sync?${query}`));
      }
    }

    const measured = [];
    for (const phase of phases) {
      const end = performance.now() + (WARM_UP_SECONDS + PHASE_SECONDS) * 1_000;
      const polling = Promise.all(pollers.map((poller) => pollUntil(end, poller, phase)));
      await sleep(WARM_UP_SECONDS * 1_000);
      const scans = await tableScans(databaseUrl);
      const watch = watchProcess(server.process);
      await sleep(PHASE_SECONDS * 1_000);
      const cpuMs = watch.read()?.cpuMs ?? Number.NaN;
      const read = scansBetween(scans, await tableScans(databaseUrl));
      const reads = TABLES.reduce((sum, table) => sum + (read[table] ?? 0), 0);
      const calls = (await polling).reduce((sum, count) => sum + count, 0);
      measured.push({ name: phase.name, cpuMs, reads, calls });
    }

    await sleep(COOL_DOWN_SECONDS * 1_000);
    const watch = watchProcess(server.process);
    await sleep(PHASE_SECONDS * 1_000);
    const idle = {
      name: "no poller",
      cpuMs: watch.read()?.cpuMs ?? Number.NaN,
      reads: 0,
      calls: 0,
    };

    const [often, waiting] = measured;
    // The CPU time of the hub without pollers is subtracted; the rest is due to the pollers.
    const ofPollers = (phase = idle) => phase.cpuMs - idle.cpuMs;
    const ratio = ofPollers(waiting) / ofPollers(often);
    const reads = Math.max(...measured.map((phase) => phase.reads));
    const allowed = ROOMS * TABLES_PER_RECHECK * Math.ceil(PHASE_SECONDS / RECHECK_SECONDS);
    return {
      figures: [...measured, idle].map(({ name, cpuMs, reads, calls }) => ({
        contender: name,
        values: {
          "CPU ms/s of the hub": (cpuMs / PHASE_SECONDS).toFixed(1),
          "CPU µs/s per poller": (
            ((cpuMs - idle.cpuMs) * 1_000) /
            PHASE_SECONDS /
            pollers.length
          ).toFixed(0),
          calls: String(calls),
          "table reads": String(reads),
        },
      })),
      clientCpu: null,
      verdicts: [
        {
          goal: `CPU with wait=${WAIT_SECONDS} ≤ ${GOAL} × every ${INTERVAL_SECONDS} s`,
          measured: `${ratio.toFixed(2)} ×`,
          isReached: ratio <= GOAL,
        },
        {
          goal: "no query but a recheck of each room every 30 s",
          measured: `${reads} reads, ${allowed} are rechecks`,
          isReached: reads <= allowed,
        },
      ],
    };
  },
};

/**
 * Polls until the time `end`.
 * @returns the number of calls
 */
async function pollUntil(end: number, { url, cookie }: Poller, phase: Phase): Promise<number> {
  let calls = 0;
  // The pollers start at random times within one interval, so that their calls don't arrive
  // together.
  await sleep(Math.random() * INTERVAL_SECONDS * 1_000);
  for (; performance.now() < end; calls++) {
    const next = performance.now() + phase.intervalSeconds * 1_000;
    const signal = AbortSignal.timeout(Math.ceil(Math.max(1, end - performance.now())));
    const response = await fetch(url + phase.query, { headers: { cookie }, signal }).catch(
      () => {},
    );
    await response?.arrayBuffer();
    await sleep(Math.max(0, next - performance.now()));
  }
  return calls;
}

/** Creates a guest with a cookie of its own. The guest already has all messages of the room. */
async function pollerOf(address: string): Promise<Poller> {
  const response = await fetch(address);
  const { head } = (await response.json()) as { head: number };
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const url = `${address}&last_id=${head}`;
  const again = await fetch(url, { headers: { cookie } });
  const body = (await again.json()) as { new_messages: unknown[] };
  if (again.status !== 200 || body.new_messages.length > 0)
    throw new Error("The room has changed.");
  return { url, cookie };
}
