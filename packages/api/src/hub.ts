import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { createAccountReads } from "./accounts/account.queries.ts";
import { createRoomLog, createRoomReads } from "./chat/chat-room.queries.ts";
import { createChatTurns } from "./chat/chat-turns.ts";
import type { ModelPort } from "./chat/models/model-port.ts";
import { createRunningReplies } from "./chat/running-replies.ts";
import type { Hub, HubConfig } from "./context.ts";
import type { Database } from "./db/connect.ts";
import { sweepQuotaHolds } from "./quota/quota-hold.service.ts";
import { createActiveRooms } from "./rooms/active-rooms.ts";
import { memoryPresenceStore } from "./rooms/memory-presence-store.ts";
import { memoryRoomBus } from "./rooms/memory-room-bus.ts";
import { createSoulReads } from "./souls/soul.queries.ts";
import { createVault, type MasterKey } from "./vault.ts";

export interface HubOptions {
  config: HubConfig;
  database: Database;
  masterKeys: readonly MasterKey[];
  models: ModelPort;
  log: Logger;
}

const SWEEP_MS = 60_000;

/** Puts a hub together from its ports. Nothing listens yet; `close` ends everything it started. */
export function createHub({ config, database, masterKeys, models, log }: HubOptions): Hub {
  const { db } = database;
  const background = new Set<Promise<unknown>>();
  const inBackground: Hub["inBackground"] = (doing, work) => {
    const settled = work
      .catch((error: unknown) => log.error({ err: error, doing }, "background work failed"))
      .finally(() => background.delete(settled));
    background.add(settled);
  };
  const rooms = createActiveRooms({
    bus: memoryRoomBus(),
    presence: memoryPresenceStore(() => performance.now()),
    log: createRoomLog(db),
    nodeId: randomBytes(4).toString("hex"),
    onError: (error, doing) => log.error({ err: error, doing }, "a live room has trouble"),
  });
  const replies = createRunningReplies();
  const sweep = () => inBackground("sweeping quota holds", sweepQuotaHolds(db));
  const sweeper = setInterval(sweep, SWEEP_MS).unref();
  sweep();

  return {
    config,
    database,
    vault: createVault(masterKeys),
    accounts: createAccountReads(db),
    souls: createSoulReads(db),
    rooms,
    chatRooms: createRoomReads(db),
    models,
    turns: createChatTurns(),
    replies,
    log,
    inBackground,
    async close() {
      clearInterval(sweeper);
      replies.cancelAll();
      await rooms.close();
      while (background.size > 0) await Promise.all(background);
      await database.close();
    },
  };
}
