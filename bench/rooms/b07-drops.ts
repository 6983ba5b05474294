import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPinned } from "../rest/pinned-process.ts";
import type { DropsOrder, DropsReport } from "./faults/dropping-orders.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import type { Row } from "./row.ts";

const ROOMS = 8;
const CLIENTS = 80;
const AWAY_MS = 2_000;
const BETWEEN_MS = 3_000;
const WRITING_MS = 45_000;
/** The time between two questions in a room. Each question gets a reply. */
const LINE_MS = 250;
const CLIENT_CORE = 1;

export const row: Row = {
  id: "B7",
  work: "2-second drops, again and again",
  atMostSeconds: 120,
  async run({ newDatabase, onEnd }) {
    const hub = await startRoomHub({ databaseUrl: await newDatabase(), onEnd });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const rooms = await hub.rooms(ROOMS);
    const script = fileURLToPath(new URL("./faults/dropping-clients.ts", import.meta.url));
    const clients = startPinned(CLIENT_CORE, script, [], { ipc: true });
    const order: DropsOrder = {
      port: server.port,
      rooms,
      clients: CLIENTS,
      awayMs: AWAY_MS,
      betweenMs: BETWEEN_MS,
    };
    clients.send(order);
    await once(clients, "message");

    const end = Date.now() + WRITING_MS;
    const write = async (room: RoomName) => {
      for (let n = 0; Date.now() < end; n++) {
        await hub.say(room, `Line ${n}.`);
        await sleep(LINE_MS);
      }
    };
    await Promise.all(rooms.map(write));
    clients.send("end");
    const [report] = (await once(clients, "message")) as [DropsReport];

    const logs = await Promise.all(rooms.map((room) => logOf(server.port, room)));
    const due = report.held.reduce((sum, _, n) => sum + (logs[n % ROOMS]?.length ?? 0), 0);
    const delivered = report.held.reduce((sum, held, n) => {
      const own = new Set(held);
      return sum + (logs[n % ROOMS] ?? []).filter((id) => own.has(id)).length;
    }, 0);
    // If a client's ids equal the ids of its room, the client received every message once and in
    // order.
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
            "logs in order, each once": `${whole} of ${CLIENTS}`,
            "by socket in the end": String(report.via.filter((via) => via === "socket").length),
          },
        },
      ],
      clientCpu: null,
      verdicts: [
        {
          goal: "100 % delivered, each once",
          measured: `${share.toFixed(2)} %, ${whole} of ${CLIENTS} logs`,
          isReached: delivered === due && whole === CLIENTS,
        },
      ],
    };
  },
};

/** Reads all messages of a room. */
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
