import { type ChatHub, startChatHub } from "../processes/chat-hub.ts";
import { startWorker, type Worker } from "../processes/worker.ts";
import { providerOf } from "../provider/start-provider.ts";
import { redisUrl } from "../runner/bench-database.ts";
import type { Stage } from "../runner/stage.ts";
import type { Place } from "./clients/participant.ts";
import type { participants } from "./clients/participants.ts";

export interface RoomHub extends ChatHub {
  databaseUrl: string;
}

/** Starts a hub of one server, or of two that share Redis. */
export const roomHubOf = (stage: Stage, servers: 1 | 2): Promise<RoomHub> =>
  stage.share(`hub of ${servers}`, async () => {
    const provider = await providerOf(stage);
    const settings = {
      ...provider.settings,
      SUMMARY_MODEL: "offline",
      ...(servers === 2 && { REDIS_URL: redisUrl }),
    };
    const databaseUrl = await stage.newDatabase();
    return { ...(await startChatHub(stage, { databaseUrl, servers, settings })), databaseUrl };
  });

/**
 * V8 options for many short-lived event objects. With the defaults, these objects filled the old
 * generation once a second. Each collection blocked the clients' only core for 20 ms.
 */
const CLIENT_FLAGS = [
  "--initial-old-space-size=256",
  "--no-memory-reducer",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

/** Starts a process of clients on the CPU core that the servers do not use. */
export const startParticipants = (stage: Stage): Worker<typeof participants> =>
  startWorker(stage, new URL("./clients/participants.ts", import.meta.url), {
    flags: CLIENT_FLAGS,
  });

/** Returns places in rooms, `count` in each. */
export const placesIn = (
  rooms: Place["room"][],
  { count, ...place }: Omit<Place, "room" | "agent"> & { count: number },
): Place[] =>
  rooms.flatMap((room) =>
    Array.from({ length: count }, (_, n) => ({
      ...place,
      room,
      agent: `${place.group} ${room.session_token} ${n}`,
    })),
  );
