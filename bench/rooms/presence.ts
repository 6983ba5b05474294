import { setTimeout as sleep } from "node:timers/promises";
import type { RoomName } from "@soul-hub/api/testing";
import { HUB, type Scenario } from "../runner/bench.ts";
import { watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { placesIn, roomHubOf, startParticipants } from "./room-hub.ts";

/**
 * The longest time that a client stays disconnected before it reconnects. It is half of the grace
 * period, so that the client has time to reconnect.
 */
const AWAY_MS = 1_500;
const GRACE_MS = 3_000;
const WAIT_MS = 45_000;
const SAMPLE_MS = 250;

export const presence: Scenario = {
  name: "B9 presence",
  atMostSeconds: 240,
  async run(stage) {
    const { servers, ...hub } = await roomHubOf(stage, 2);
    const [here, there] = servers;
    if (!here || !there) throw new Error("There are not two servers.");
    const rooms = (await hub.rooms(3)) as [RoomName, RoomName, RoomName];
    const [silent, killed, flickering] = rooms;
    /** The number of clients in a room that lose their connection at the same moment. */
    const lost = stage.size(20, 2);
    const count = stage.size(200, 4);
    const frozen = startParticipants(stage);
    const others = startParticipants(stage);
    const observers = startParticipants(stage);
    const ports = [here.port, there.port];
    await Promise.all([
      frozen.remote.join(placesIn([silent], { group: "frozen", count: lost, ports: [here.port] })),
      others.remote.join([
        ...placesIn([killed], { group: "killed", count: lost, ports: [there.port] }),
        ...placesIn([flickering], { group: "flickering", count, ports }),
      ]),
    ]);
    for (const room of rooms) {
      const observer = { group: room.session_token, count: 1, ports: [here.port] };
      await observers.remote.join(placesIn([room], observer));
    }
    // Waits until the presence events of the joins have arrived.
    await sleep(1_000);

    const leavesOf = async ({ session_token }: RoomName) => {
      const [observer] = await observers.remote.states(session_token);
      const left = observer?.left ?? [];
      const total = left.reduce((sum, leave) => sum + leave.count, 0);
      return { total, lastAt: Math.max(...left.map(({ at }) => at)) };
    };
    /** Returns the seconds until the last leave event of a room; Infinity if one is missing. */
    const secondsUntilGone = async (room: RoomName): Promise<number> => {
      const start = Date.now();
      while (Date.now() < start + stage.size(WAIT_MS, 15_000)) {
        const { total, lastAt } = await leavesOf(room);
        if (total >= lost) return (lastAt - start) / 1_000;
        await sleep(SAMPLE_MS);
      }
      return Number.POSITIVE_INFINITY;
    };
    const times = stage.size(50, 2);
    const returning = watched(
      here.process,
      () => others.remote.flicker("flickering", times, AWAY_MS, GRACE_MS),
      others.process,
    );
    // A stopped process keeps its sockets open and answers no ping. Smoke closes them instead,
    // because the hub notices a silent client only after 14 s.
    frozen.process.kill(stage.size("SIGSTOP", "SIGKILL"));
    const silentS = await secondsUntilGone(silent);
    frozen.process.kill("SIGKILL");
    const [late, use] = await returning;
    // The hub reports a leave after the grace period and the batch time of presence events.
    await sleep(4_000);
    // A client whose grace period has ended counts as gone, so its leave event is correct.
    const falsely = Math.max(0, (await leavesOf(flickering)).total - late);

    // The leases of a killed server last half a minute.
    if (!stage.isSmoke) there.process.kill("SIGKILL");
    const killedS = stage.isSmoke ? Number.NaN : await secondsUntilGone(killed);
    const values = {
      "silent peer gone after s": silentS,
      "killed server's participants gone after s": killedS,
      reconnects: count * times,
      "took longer than the grace": late,
      "left falsely": falsely,
      ...use.columns,
    };
    return {
      table: new Map([[HUB, values]]),
      goals: [
        atMost("a silent peer is gone after", silentS, 16, " s"),
        atMost("a killed server's participants are gone after", killedS, 31, " s"),
      ],
      faults: [
        ...(falsely ? [`${HUB}: ${falsely} false leaves in ${count * times} reconnects`] : []),
        ...(Number.isFinite(silentS) ? [] : [`${HUB}: a lost client is still present`]),
      ],
    };
  },
};
