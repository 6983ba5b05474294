import { setTimeout as sleep } from "node:timers/promises";
import { redisUrl } from "./faults/bench-redis.ts";
import type { Place } from "./faults/participant-orders.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { type ParticipantProcess, startParticipants } from "./faults/start-participants.ts";
import type { Row } from "./row.ts";

/** The number of clients in a room that lose their connection at the same moment. */
const LOST = 20;
const FLICKERING = 200;
const TIMES = 50;
/**
 * The longest time, in milliseconds, that a client stays disconnected before it reconnects. It is
 * half of the grace period, so that the client has time to reconnect.
 */
const AWAY_MS = 1_500;
const GRACE_MS = 3_000;
const SILENT_GOAL_S = 16;
const KILLED_GOAL_S = 30;
const WAIT_MS = 45_000;
const SAMPLE_MS = 250;

export const row: Row = {
  id: "B9",
  work: "presence",
  atMostSeconds: 240,
  async run({ newDatabase, onEnd }) {
    const hub = await startRoomHub({
      databaseUrl: await newDatabase(),
      onEnd,
      env: { REDIS_URL: redisUrl() },
      servers: 2,
    });
    const [here, there] = hub.servers;
    if (!here || !there) throw new Error("There are not two servers.");
    const [silent, killed, flickering] = (await hub.rooms(3)) as [RoomName, RoomName, RoomName];
    const [frozen, others, observers] = [
      startParticipants(),
      startParticipants(),
      startParticipants(),
    ];
    const places = (group: string, room: RoomName, count: number, ports: number[]): Place[] =>
      Array.from({ length: count }, (_, n) => ({
        ports,
        room,
        agent: `${group} ${room.session_token} ${n}`,
        group,
        reads: true,
      }));
    await frozen.ask({ do: "join", places: places("frozen", silent, LOST, [here.port]) });
    await others.ask({
      do: "join",
      places: [
        ...places("killed", killed, LOST, [there.port]),
        ...places("flickering", flickering, FLICKERING, [here.port, there.port]),
      ],
    });
    await observers.ask({
      do: "join",
      places: [
        ...places("of the silent", silent, 1, [here.port]),
        ...places("of the killed", killed, 1, [here.port]),
        ...places("of the flickering", flickering, 1, [here.port]),
      ],
    });
    // Waits until the presence events of the joins have arrived.
    await sleep(1_000);

    const coming = others.ask({
      do: "flicker",
      group: "flickering",
      times: TIMES,
      awayMs: AWAY_MS,
      graceMs: GRACE_MS,
    });
    const silentAt = Date.now();
    // A stopped process keeps its sockets open and answers no ping.
    frozen.process.kill("SIGSTOP");
    const silentS = ((await gone(observers, "of the silent")) - silentAt) / 1_000;
    frozen.process.kill("SIGKILL");
    const came = await coming;
    // The hub reports a leave after the grace period and the batch time of presence events.
    await sleep(4_000);
    const left = await leftBefore(observers, "of the flickering");
    // A client whose grace period has ended counts as gone, so its leave event is correct.
    const falsely = Math.max(0, left.reduce((sum, { count }) => sum + count, 0) - came.late);

    const killedAt = Date.now();
    there.process.kill("SIGKILL");
    const killedS = ((await gone(observers, "of the killed")) - killedAt) / 1_000;

    const returns = FLICKERING * TIMES;
    return {
      figures: [
        {
          contender: "Soul Hub",
          values: {
            "silent peer gone after s": silentS.toFixed(1),
            "killed server's participants gone after s": killedS.toFixed(1),
            "reconnects within the grace": `${returns} in ${came.seconds.toFixed(0)} s`,
            "took longer": String(came.late),
            "left falsely": String(falsely),
          },
        },
      ],
      clientCpu: came.cpu,
      verdicts: [
        {
          goal: `a silent peer ≤ ${SILENT_GOAL_S} s`,
          measured: `${silentS.toFixed(1)} s`,
          isReached: silentS <= SILENT_GOAL_S,
        },
        {
          goal: `a killed server's participants ≤ ${KILLED_GOAL_S} s`,
          measured: `${killedS.toFixed(1)} s`,
          isReached: killedS <= KILLED_GOAL_S,
        },
        {
          goal: `no false leave in ${returns} reconnects`,
          measured: String(falsely),
          isReached: falsely === 0,
        },
      ],
    };
  },
};

async function leftBefore(observers: ParticipantProcess, group: string) {
  const { states } = await observers.ask({ do: "report" });
  return states[group]?.[0]?.left ?? [];
}

/** Returns the time of the last leave event of a room; Infinity if a leave event is missing. */
async function gone(observers: ParticipantProcess, group: string): Promise<number> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    const left = await leftBefore(observers, group);
    if (left.reduce((sum, { count }) => sum + count, 0) >= LOST) {
      return Math.max(...left.map(({ at }) => at));
    }
    await sleep(SAMPLE_MS);
  }
  return Number.POSITIVE_INFINITY;
}
