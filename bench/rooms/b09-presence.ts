import { setTimeout as sleep } from "node:timers/promises";
import { redisUrl } from "./faults/bench-redis.ts";
import type { Place } from "./faults/people-orders.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { type People, startPeople } from "./faults/start-people.ts";
import type { Row } from "./row.ts";

/** Of each room that somebody is lost from. */
const LOST = 20;
const FLICKERING = 200;
const TIMES = 50;
/** The grace is 3 s; the rest of it is for coming in. */
const AWAY_MS = 1_500;
const GRACE_MS = 3_000;
const SILENT_GOAL_S = 16;
const KILLED_GOAL_S = 30;
const WAIT_MS = 45_000;
const LOOK_MS = 250;

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
    const [frozen, others, witnesses] = [startPeople(), startPeople(), startPeople()];
    const places = (group: string, room: RoomName, count: number, ports: number[]): Place[] =>
      Array.from({ length: count }, (_, n) => ({
        ports,
        room,
        agent: `${group} ${room.session_token} ${n}`,
        group,
        reads: true,
      }));
    await frozen.obey({ do: "join", places: places("frozen", silent, LOST, [here.port]) });
    await others.obey({
      do: "join",
      places: [
        ...places("killed", killed, LOST, [there.port]),
        ...places("flickering", flickering, FLICKERING, [here.port, there.port]),
      ],
    });
    await witnesses.obey({
      do: "join",
      places: [
        ...places("of the silent", silent, 1, [here.port]),
        ...places("of the killed", killed, 1, [here.port]),
        ...places("of the flickering", flickering, 1, [here.port]),
      ],
    });
    // What came before is gathered and told.
    await sleep(1_000);

    const coming = others.obey({
      do: "flicker",
      group: "flickering",
      times: TIMES,
      awayMs: AWAY_MS,
      graceMs: GRACE_MS,
    });
    const silentAt = Date.now();
    // The process lives, holds its sockets, and answers no ping any more.
    frozen.process.kill("SIGSTOP");
    const silentS = ((await gone(witnesses, "of the silent")) - silentAt) / 1_000;
    frozen.process.kill("SIGKILL");
    const came = await coming;
    // Whoever counts out does so within the grace and its gathering.
    await sleep(4_000);
    const left = await leftBefore(witnesses, "of the flickering");
    // Whoever took longer than the grace to come in was gone.
    const falsely = Math.max(0, left.reduce((sum, { count }) => sum + count, 0) - came.late);

    const killedAt = Date.now();
    there.process.kill("SIGKILL");
    const killedS = ((await gone(witnesses, "of the killed")) - killedAt) / 1_000;

    const returns = FLICKERING * TIMES;
    return {
      figures: [
        {
          contender: "Soul Hub",
          values: {
            "silent peer gone after s": silentS.toFixed(1),
            "killed server's people after s": killedS.toFixed(1),
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
          goal: `a killed server's people ≤ ${KILLED_GOAL_S} s`,
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

async function leftBefore(witnesses: People, group: string) {
  const { told } = await witnesses.obey({ do: "tell" });
  return told[group]?.[0]?.left ?? [];
}

/** When the last one of a room was told to have left; Infinity: somebody never was. */
async function gone(witnesses: People, group: string): Promise<number> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    const left = await leftBefore(witnesses, group);
    if (left.reduce((sum, { count }) => sum + count, 0) >= LOST) {
      return Math.max(...left.map(({ at }) => at));
    }
    await sleep(LOOK_MS);
  }
  return Number.POSITIVE_INFINITY;
}
