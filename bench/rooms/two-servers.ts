import { setTimeout as sleep } from "node:timers/promises";
import { questionFor } from "../provider/words.ts";
import type { Scenario } from "../runner/bench.ts";
import { takeTurns, type Values, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { placesIn, type RoomHub, roomHubOf, startParticipants } from "./room-hub.ts";

const ROUNDS = 9;
/**
 * Milliseconds between two words of a reply. The hub batches deltas for only 40 ms (DELTA_MS), so
 * each word is one event.
 */
const WORD_MS = 50;
const WORD_CHARS = 40;

const ONE = "one server";
const NEAR = "two, where it is written";
const FAR = "two, the other server";

export const twoServers: Scenario = {
  name: "B11 two servers and Redis",
  atMostSeconds: 240,
  async run(stage) {
    // The beginning and the end of a reply are not measured.
    const [seconds, margin] = stage.size([3, 1], [0.5, 0.2]) as [number, number];
    const words = ((seconds + 2 * margin) * 1_000) / WORD_MS;
    const question = questionFor({ words, everyMs: WORD_MS, chars: WORD_CHARS });
    const perServer = stage.size(50, 2);
    const participants = startParticipants(stage);
    const { remote } = participants;
    const [one, two] = await Promise.all([roomHubOf(stage, 1), roomHubOf(stage, 2)]);

    const openRooms = async (hub: RoomHub, groups: string[]) => {
      const rooms = await hub.rooms(stage.size(10, 1));
      // The clients of group n are connected to server n.
      for (const [n, group] of groups.entries()) {
        const ports = [hub.servers[n]?.port ?? 0];
        const count = (perServer * 2) / groups.length;
        await remote.join(placesIn(rooms, { group, count, ports }));
      }
      return { name: groups.at(-1) ?? "", hub, rooms, groups };
    };
    const contenders = [await openRooms(one, [ONE]), await openRooms(two, [NEAR, FAR])];
    const table = await takeTurns(stage, contenders, ROUNDS, async ({ hub, rooms, groups }) => {
      const measure = async () => {
        const replies = Promise.all(rooms.map((room) => hub.say(room, question)));
        await sleep(margin * 1_000);
        const measured = await remote.measure(groups, seconds);
        await replies;
        return measured;
      };
      const [latencies, use] = await watched(hub.server.process, measure, participants.process);
      const values: Values = {};
      for (const [n, { count, p50, p99 }] of latencies.entries()) {
        const where = groups[n] === NEAR ? ", where it is written" : "";
        const clients = rooms.length * ((perServer * 2) / groups.length);
        values[`of those due, %${where}`] = (100 * count * WORD_MS) / (clients * seconds * 1_000);
        values[`p50 ms${where}`] = p50;
        values[`p99 ms${where}`] = p99;
      }
      return { ...values, ...use.columns };
    });
    const added = valueAt(table, FAR, "p50 ms") - valueAt(table, ONE, "p50 ms");
    return { table, goals: [atMost("p50 added to that of one server", added, 2, " ms")] };
  },
};
