import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, RoomName } from "@soul-hub/api/testing";
import { RepeatedCalls } from "../load/repeated-calls.ts";
import { actorOf, ok } from "../processes/member.ts";
import type { Scenario } from "../runner/bench.ts";
import { type Table, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { roomHubOf } from "./room-hub.ts";
import { countScans } from "./table-scans.ts";

const POLLERS_PER_ROOM = 8;
/** The pause before a phase is measured, in which the presence events of the joins are sent. */
const WARM_UP_MS = 5_000;
/**
 * The pause before the idle hub is measured. Leases of pollers last 30 s, and their rooms close
 * afterwards.
 */
const COOL_DOWN_MS = 40_000;
const INTERVAL_MS = 2_000;
/** The tables that a chat-sync call may query. */
const TABLES = ["accounts", "souls", "chat_rooms", "chat_messages"];
/** The hub checks a poller's access to a room again after this time (rooms/room-limits.ts). */
const RECHECK_SECONDS = 30;
const TABLES_PER_RECHECK = 3;

const OFTEN = "every 2 s";
const WAITING = "wait=25";
const IDLE = "no poller";
const CPU = "CPU ms/s of the hub";

export const polling: Scenario = {
  name: "B10 chat-sync with nothing new",
  atMostSeconds: 360,
  async run(stage) {
    const { server, databaseUrl, ...hub } = await roomHubOf(stage, 1);
    const rooms = await hub.rooms(stage.size(50, 1));
    const seconds = stage.size(50, 1);
    const measureCpu = async () => {
      const [, { cpuMs }] = await watched(server.process, () => sleep(seconds * 1_000));
      return { [CPU]: cpuMs / seconds };
    };
    const pollers: Poll[] = [];
    for (const room of rooms) {
      for (let n = 0; n < POLLERS_PER_ROOM; n++) pollers.push(await pollerOf(server.url, room));
    }
    const table: Table = new Map();
    const faults: string[] = [];
    for (const [phase, pauseMs, more] of [
      [OFTEN, stage.size(INTERVAL_MS, 200), ""],
      [WAITING, 0, `&wait=${stage.size(25, 1)}`],
    ] as const) {
      const calls = new RepeatedCalls(stage);
      calls.begin(phase);
      for (const poll of pollers) {
        calls.repeat(pauseMs, async (nth) => {
          // The pollers start at random times, so that their calls don't arrive together.
          if (nth === 0) await sleep(Math.random() * stage.size(INTERVAL_MS, 200));
          return poll(more);
        });
      }
      await sleep(stage.size(WARM_UP_MS, 0));
      const readsBefore = await countScans(stage, databaseUrl, TABLES);
      const cpu = await measureCpu();
      const reads = (await countScans(stage, databaseUrl, TABLES)) - readsBefore;
      await calls.end();
      faults.push(...calls.faults);
      const made = valueAt(calls.table(), phase, "calls");
      table.set(phase, { ...cpu, calls: made, "table reads": reads });
    }
    await sleep(stage.size(COOL_DOWN_MS, 0));
    table.set(IDLE, await measureCpu());

    // The CPU time of the hub without pollers is subtracted; the rest is due to the pollers.
    const cpuOf = (phase: string) => valueAt(table, phase, CPU) - valueAt(table, IDLE, CPU);
    const reads = [OFTEN, WAITING].map((phase) => valueAt(table, phase, "table reads"));
    const rechecks = rooms.length * TABLES_PER_RECHECK * Math.ceil(seconds / RECHECK_SECONDS);
    return {
      table,
      goals: [
        atMost("CPU with wait=25", cpuOf(WAITING) / cpuOf(OFTEN), 0.2, " × every 2 s"),
        atMost("table reads, a recheck of each room every 30 s", Math.max(...reads), rechecks),
      ],
      faults,
    };
  },
};

/** Polls a room, with further parameters of the query. */
type Poll = (more: string) => Promise<Answer>;

/** Creates a guest with a cookie of its own. The guest already has all messages of the room. */
async function pollerOf(url: string, { soul_id, session_token }: RoomName): Promise<Poll> {
  const guest = actorOf(url, "guest");
  const query = `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}`;
  const { head } = await ok(guest.get(query));
  return async (more) => {
    const answer = await guest.get(`${query}&last_id=${head}${more}`);
    if (answer.body?.new_messages?.length !== 0) throw new Error(`${answer.status} with news`);
    return answer;
  };
}
