import { type ChatHub, startChatHub } from "../../processes/chat-hub.ts";
import { LOAD_CORE } from "../../processes/start-process.ts";
import { startWorker, type WorkerProcess } from "../../processes/worker-process.ts";
import { providerOf } from "../../provider/start-provider.ts";
import { redisUrl } from "../../runner/bench-database.ts";
import type { Stage } from "../../runner/stage.ts";
import type { ParticipantOrder, ParticipantResult } from "./participant-orders.ts";

export interface RoomHub extends ChatHub {
  databaseUrl: string;
}

/** Starts a hub of one server, or of two that share Redis. */
export const roomHubOf = (stage: Stage, servers: 1 | 2): Promise<RoomHub> =>
  stage.share(`hub of ${servers}`, async () => {
    const { settings: provider } = await providerOf(stage);
    const settings = { ...provider, SUMMARY_MODEL: "offline" };
    const databaseUrl = await stage.newDatabase();
    const hub = await startChatHub(stage, {
      databaseUrl,
      servers,
      settings: servers === 1 ? settings : { ...settings, REDIS_URL: redisUrl },
    });
    return { ...hub, databaseUrl };
  });

export type ParticipantProcess = WorkerProcess<ParticipantOrder, ParticipantResult>;

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
export const startParticipants = (stage: Stage): ParticipantProcess =>
  startWorker(stage, new URL("./participants.ts", import.meta.url), {
    core: LOAD_CORE,
    flags: CLIENT_FLAGS,
  });
