import { setTimeout as sleep } from "node:timers/promises";
import type { RoomName } from "../processes/chat-hub.ts";
import { HUB, type Scenario } from "../runner/bench.ts";
import { atMost } from "../runner/report.ts";
import { placesIn } from "./faults/participant-orders.ts";
import { type ParticipantProcess, roomHubOf, startParticipants } from "./faults/room-hub.ts";

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
    const [frozen, others, observers] = [1, 2, 3].map(() => startParticipants(stage)) as [
      ParticipantProcess,
      ParticipantProcess,
      ParticipantProcess,
    ];
    const count = stage.size(200, 4);
    await frozen.ask({
      do: "join",
      places: placesIn([silent], [here.port], { group: "frozen", count: lost }),
    });
    await others.ask({
      do: "join",
      places: [
        ...placesIn([killed], [there.port], { group: "killed", count: lost }),
        ...placesIn([flickering], [here.port, there.port], { group: "flickering", count }),
      ],
    });
    await observers.ask({
      do: "join",
      places: rooms.flatMap((room) =>
        placesIn([room], [here.port], { group: room.session_token, count: 1 }),
      ),
    });
    // Waits until the presence events of the joins have arrived.
    await sleep(1_000);

    const leftOf = async ({ session_token }: RoomName) =>
      (await observers.ask({ do: "report" })).states[session_token]?.[0]?.left ?? [];
    /** Returns the seconds until the last leave event of a room; Infinity if one is missing. */
    const secondsUntilGone = async (room: RoomName): Promise<number> => {
      const start = Date.now();
      while (Date.now() < start + stage.size(WAIT_MS, 15_000)) {
        const left = await leftOf(room);
        if (left.reduce((sum, { count }) => sum + count, 0) >= lost) {
          return (Math.max(...left.map(({ at }) => at)) - start) / 1_000;
        }
        await sleep(SAMPLE_MS);
      }
      return Number.POSITIVE_INFINITY;
    };
    const times = stage.size(50, 2);
    const graces = { awayMs: AWAY_MS, graceMs: GRACE_MS };
    const returning = others.ask({ do: "flicker", group: "flickering", times, ...graces });
    // A stopped process keeps its sockets open and answers no ping. Smoke closes them instead,
    // because the hub notices a silent client only after 14 s.
    frozen.process.kill(stage.size("SIGSTOP", "SIGKILL"));
    const silentS = await secondsUntilGone(silent);
    frozen.process.kill("SIGKILL");
    const returned = await returning;
    // The hub reports a leave after the grace period and the batch time of presence events.
    await sleep(4_000);
    // A client whose grace period has ended counts as gone, so its leave event is correct.
    const left = (await leftOf(flickering)).reduce((sum, { count }) => sum + count, 0);
    const falsely = Math.max(0, left - returned.late);

    // The leases of a killed server last half a minute.
    if (!stage.isSmoke) there.process.kill("SIGKILL");
    const killedS = stage.isSmoke ? Number.NaN : await secondsUntilGone(killed);
    const isSilentGone = silentS < Number.POSITIVE_INFINITY;
    return {
      table: new Map([
        [
          HUB,
          {
            "silent peer gone after s": silentS,
            "killed server's participants gone after s": killedS,
            reconnects: count * times,
            "took longer than the grace": returned.late,
            "left falsely": falsely,
            "client CPU %": returned.cpu * 100,
          },
        ],
      ]),
      goals: [
        atMost("a silent peer is gone after", silentS, 16, " s"),
        atMost("a killed server's participants are gone after", killedS, 31, " s"),
      ],
      faults: [
        ...(falsely ? [`${HUB}: ${falsely} false leaves in ${count * times} reconnects`] : []),
        ...(isSilentGone ? [] : [`${HUB}: a lost client is still present`]),
      ],
    };
  },
};
