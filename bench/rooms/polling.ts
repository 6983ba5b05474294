import { setTimeout as sleep } from "node:timers/promises";
import { actorOf, ok } from "../processes/member.ts";
import type { Scenario } from "../runner/bench.ts";
import { blame, type Table, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { roomHubOf } from "./faults/room-hub.ts";
import { scansBetween, tableScans } from "./faults/table-scans.ts";

const POLLERS_PER_ROOM = 8;
/** The pause before a phase is measured, in which the presence events of the joins are sent. */
const WARM_UP_SECONDS = 5;
/**
 * The pause before the idle hub is measured. Leases of pollers last 30 s, and their rooms close
 * afterwards.
 */
const COOL_DOWN_SECONDS = 40;
const INTERVAL_SECONDS = 2;
/** The tables that a chat-sync call may query. */
const TABLES = ["accounts", "souls", "chat_rooms", "chat_messages"];
/** The hub checks a poller's access to a room again after this time (rooms/room-limits.ts). */
const RECHECK_SECONDS = 30;
const TABLES_PER_RECHECK = 3;

interface Phase {
  name: string;
  /** The `wait` parameter; without it, a poller calls every two seconds. */
  wait: number;
}

const OFTEN: Phase = { name: "every 2 s", wait: 0 };
const WAITING: Phase = { name: "wait=25", wait: 25 };
const IDLE = "no poller";

export const polling: Scenario = {
  name: "B10 chat-sync with nothing new",
  atMostSeconds: 360,
  async run(stage) {
    const { server, databaseUrl, ...hub } = await roomHubOf(stage, 1);
    const rooms = await hub.rooms(stage.size(50, 1));
    const seconds = stage.size(50, 1);
    const pollers: Poller[] = [];
    for (const { soul_id, session_token } of rooms) {
      const query = `soul_id=${soul_id}&session_token=${session_token}`;
      for (let n = 0; n < POLLERS_PER_ROOM; n++) pollers.push(await pollerOf(server.url, query));
    }
    const table: Table = new Map();
    for (const phase of [OFTEN, WAITING]) {
      await blame(phase.name, async () => {
        const warmUp = stage.size(WARM_UP_SECONDS, 0);
        const end = performance.now() + (warmUp + seconds) * 1_000;
        const polling = Promise.all(pollers.map((poller) => pollUntil(end, poller, phase)));
        await sleep(warmUp * 1_000);
        const scans = await tableScans(stage, databaseUrl);
        const [, { cpuMs }] = await watched(server.process, () => sleep(seconds * 1_000));
        const read = scansBetween(scans, await tableScans(stage, databaseUrl));
        const calls = (await polling).reduce((sum, count) => sum + count, 0);
        if (calls === 0) throw new Error("no poller called");
        table.set(phase.name, {
          "CPU ms/s of the hub": cpuMs / seconds,
          calls,
          "table reads": TABLES.reduce((sum, name) => sum + (read[name] ?? 0), 0),
        });
      });
    }
    await sleep(stage.size(COOL_DOWN_SECONDS, 0) * 1_000);
    const [, { cpuMs }] = await watched(server.process, () => sleep(seconds * 1_000));
    table.set(IDLE, { "CPU ms/s of the hub": cpuMs / seconds });

    // The CPU time of the hub without pollers is subtracted; the rest is due to the pollers.
    const cpuOf = ({ name }: Phase) =>
      valueAt(table, name, "CPU ms/s of the hub") - valueAt(table, IDLE, "CPU ms/s of the hub");
    const reads = [OFTEN, WAITING].map(({ name }) => valueAt(table, name, "table reads"));
    const rechecks = rooms.length * TABLES_PER_RECHECK * Math.ceil(seconds / RECHECK_SECONDS);
    return {
      table,
      goals: [
        atMost("CPU with wait=25", cpuOf(WAITING) / cpuOf(OFTEN), 0.2, " × every 2 s"),
        atMost("table reads, a recheck of each room every 30 s", Math.max(...reads), rechecks),
      ],
    };
  },
};

/** Polls a room once. With a signal, the poll ends early. */
type Poller = (more: string, signal: AbortSignal) => Promise<void>;

/** Creates a guest with a cookie of its own. The guest already has all messages of the room. */
async function pollerOf(url: string, query: string): Promise<Poller> {
  const guest = actorOf(url, "guest");
  const { head } = await ok(guest.get(`/api/chat-sync?${query}`));
  const cookie = [...guest.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return async (more, signal) => {
    const address = `${url}/api/chat-sync?${query}&last_id=${head}${more}`;
    const response = await fetch(address, { headers: { cookie }, signal });
    const body = (await response.json()) as { new_messages?: unknown[] };
    if (body.new_messages?.length !== 0) throw new Error(`${response.status} with news`);
  };
}

/**
 * Polls until the time `end`.
 * @returns the number of calls
 */
async function pollUntil(end: number, poll: Poller, { wait }: Phase): Promise<number> {
  let calls = 0;
  // The pollers start at random times within one interval, so that their calls don't arrive
  // together.
  const interval = Math.min(INTERVAL_SECONDS * 1_000, end - performance.now());
  await sleep(Math.random() * interval);
  for (; performance.now() < end; calls++) {
    const next = performance.now() + (wait ? 0 : INTERVAL_SECONDS * 1_000);
    const signal = AbortSignal.timeout(Math.ceil(Math.max(1, end - performance.now())));
    await poll(wait ? `&wait=${wait}` : "", signal).catch((error: Error) => {
      // The time is over, which ends a waiting call.
      if (!signal.aborted) throw error;
    });
    await sleep(Math.max(0, Math.min(next, end) - performance.now()));
  }
  return calls;
}
