import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPinned } from "../rest/pinned-process.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import type { Journey, TravelReport } from "./faults/travel-orders.ts";
import type { Row } from "./row.ts";

const ROOMS = 8;
const TRAVELLERS = 80;
const AWAY_MS = 2_000;
const BETWEEN_MS = 3_000;
const WRITING_MS = 45_000;
/** Between two lines of a room; each brings its reply. */
const LINE_MS = 250;
const PEOPLE_CORE = 1;

export const row: Row = {
  id: "B7",
  work: "2-second drops, again and again",
  atMostSeconds: 120,
  async run({ newDatabase, onEnd }) {
    const hub = await startRoomHub({ databaseUrl: await newDatabase(), onEnd });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const rooms = await hub.rooms(ROOMS);
    const script = fileURLToPath(new URL("./faults/travellers.ts", import.meta.url));
    const travellers = startPinned(PEOPLE_CORE, script, [], { ipc: true });
    const journey: Journey = {
      port: server.port,
      rooms,
      travellers: TRAVELLERS,
      awayMs: AWAY_MS,
      betweenMs: BETWEEN_MS,
    };
    travellers.send(journey);
    await once(travellers, "message");

    const end = Date.now() + WRITING_MS;
    const write = async (room: RoomName) => {
      for (let n = 0; Date.now() < end; n++) {
        await hub.say(room, `Line ${n}.`);
        await sleep(LINE_MS);
      }
    };
    await Promise.all(rooms.map(write));
    travellers.send("over");
    const [report] = (await once(travellers, "message")) as [TravelReport];

    const logs = await Promise.all(rooms.map((room) => logOf(server.port, room)));
    const due = report.held.reduce((sum, _, n) => sum + (logs[n % ROOMS]?.length ?? 0), 0);
    const delivered = report.held.reduce((sum, held, n) => {
      const own = new Set(held);
      return sum + (logs[n % ROOMS] ?? []).filter((id) => own.has(id)).length;
    }, 0);
    // In order, and each once: a list that is the log's own.
    const whole = report.held.filter((held, n) => String(held) === String(logs[n % ROOMS])).length;
    const share = (100 * delivered) / due;
    return {
      figures: [
        {
          contender: "packages/client",
          values: {
            drops: String(report.drops),
            "connections cut": String(report.cuts),
            "messages due": String(due),
            delivered: `${share.toFixed(2)} %`,
            "logs in order, each once": `${whole} of ${TRAVELLERS}`,
            "by socket in the end": String(report.via.filter((via) => via === "socket").length),
          },
        },
      ],
      clientCpu: null,
      verdicts: [
        {
          goal: "100 % delivered, each once",
          measured: `${share.toFixed(2)} %, ${whole} of ${TRAVELLERS} logs`,
          isReached: delivered === due && whole === TRAVELLERS,
        },
      ],
    };
  },
};

/** All of a room's messages, by asking. */
async function logOf(port: number, { soul_id, session_token }: RoomName): Promise<number[]> {
  const ids: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const address = `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}&last_id=${ids.at(-1) ?? 0}`;
    const answer = await fetch(`http://127.0.0.1:${port}${address}`);
    const page = (await answer.json()) as { has_more: boolean; new_messages: { id: number }[] };
    ids.push(...page.new_messages.map(({ id }) => id));
    hasMore = page.has_more;
  }
  return ids;
}
