import { setTimeout as sleep } from "node:timers/promises";
import type { RoomName } from "@soul-hub/api/testing";
import { actorOf, ok } from "../processes/member.ts";
import { startWorker } from "../processes/worker.ts";
import type { Scenario } from "../runner/bench.ts";
import type { droppingClients } from "./clients/dropping-clients.ts";
import { roomHubOf } from "./room-hub.ts";

const CLIENT = "packages/client";

export const drops: Scenario = {
  name: "B7 2-second drops, again and again",
  atMostSeconds: 120,
  async run(stage) {
    const hub = await roomHubOf(stage, 1);
    const rooms = await hub.rooms(stage.size(8, 2));
    const script = new URL("./clients/dropping-clients.ts", import.meta.url);
    const { remote } = startWorker<typeof droppingClients>(stage, script);
    const [awayMs, betweenMs] = stage.size([2_000, 3_000], [300, 1_000]) as [number, number];
    await remote.join(hub.server.port, rooms, stage.size(80, 4), awayMs, betweenMs);
    const end = Date.now() + stage.size(45_000, 800);
    const write = async (room: RoomName) => {
      for (let n = 0; Date.now() < end; n++) {
        await hub.say(room, `Line ${n}.`);
        await sleep(250);
      }
    };
    await Promise.all(rooms.map(write));
    const { held, ...report } = await remote.end();

    const logs = await Promise.all(rooms.map((room) => logOf(hub.server.url, room)));
    const logAt = (n: number) => logs[n % logs.length] ?? [];
    // If a client's ids equal the ids of its room, the client received every message once and in
    // order.
    const broken = held.filter((ids, n) => String(ids) !== String(logAt(n))).length;
    const values = {
      drops: report.drops,
      "connections cut": report.cuts,
      "messages due": held.reduce((sum, _, n) => sum + logAt(n).length, 0),
      "logs in order, each once": held.length - broken,
      "by socket in the end": report.bySocket,
    };
    return {
      table: new Map([[CLIENT, values]]),
      faults: broken ? [`${CLIENT}: ${broken} of ${held.length} logs differ from their room`] : [],
    };
  },
};

/** Reads all messages of a room. */
async function logOf(url: string, { soul_id, session_token }: RoomName): Promise<number[]> {
  const ids: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const query = `soul_id=${soul_id}&session_token=${session_token}&last_id=${ids.at(-1) ?? 0}`;
    const page = await ok(actorOf(url, "reader").get(`/api/chat-sync?${query}`));
    ids.push(...page.new_messages.map(({ id }: { id: number }) => id));
    hasMore = page.has_more;
  }
  return ids;
}
