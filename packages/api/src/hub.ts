import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { createAccountReads } from "./accounts/account.queries.ts";
import { createLoginThrottle, unthrottled } from "./accounts/login-throttle.ts";
import { sweepSessions } from "./accounts/session.service.ts";
import { createRoomLog, createRoomReads } from "./chat/chat-room.queries.ts";
import { createChatTurns } from "./chat/chat-turns.ts";
import type { ModelPort } from "./chat/models/model-port.ts";
import { createRunningReplies } from "./chat/running-replies.ts";
import type { Hub, HubConfig } from "./context.ts";
import type { Database } from "./db/connect.ts";
import { HubError } from "./errors.ts";
import { createMetrics } from "./metrics.ts";
import { sweepQuotaDays, sweepQuotaHolds } from "./quota/quota-hold.service.ts";
import { createRateLimits } from "./rate-limits.ts";
import { sweepIdempotentCalls } from "./rest/idempotency.ts";
import { createActiveRooms } from "./rooms/active-rooms.ts";
import { memoryPresenceStore } from "./rooms/memory-presence-store.ts";
import { memoryRoomBus } from "./rooms/memory-room-bus.ts";
import { createSoulReads } from "./souls/soul.queries.ts";
import { createVault, type MasterKey } from "./vault.ts";
import type { ChainPort } from "./wallet/chain-port.ts";
import { sweepUsedProofs } from "./wallet/single-use.ts";

export interface HubOptions {
  config: HubConfig;
  database: Database;
  masterKeys: readonly MasterKey[];
  models: ModelPort;
  chain: ChainPort | null;
  log: Logger;
  /** How long replies that are being written may go on when the hub stops. */
  drainMs?: number;
}

const DRAIN_MS = 6_000;
const SWEEP_MS = 60_000;

/** Puts a hub together from its ports. Nothing listens yet; `close` ends everything it started. */
export function createHub({
  config,
  database,
  masterKeys,
  models,
  chain,
  log,
  drainMs = DRAIN_MS,
}: HubOptions): Hub {
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
  const turns = createChatTurns();
  const stopping = new AbortController();
  let drained: Promise<void> | undefined;
  const drain = () => {
    drained ??= (async () => {
      stopping.abort(new HubError("shutting_down"));
      turns.close();
      const late = setTimeout(() => replies.cancelAll(), drainMs);
      await turns.idle();
      clearTimeout(late);
      await rooms.close();
    })();
    return drained;
  };
  const sweep = () => {
    inBackground("sweeping quota holds", sweepQuotaHolds(db));
    inBackground("sweeping quota days", sweepQuotaDays(db));
    inBackground("sweeping sessions", sweepSessions(db));
    inBackground("sweeping used wallet proofs", sweepUsedProofs(db));
    inBackground("sweeping idempotent calls", sweepIdempotentCalls(db));
  };
  const sweeper = setInterval(sweep, SWEEP_MS).unref();
  sweep();

  return {
    config,
    database,
    vault: createVault(masterKeys),
    accounts: createAccountReads(db),
    loginThrottle: config.rateLimits ? createLoginThrottle(() => performance.now()) : unthrottled,
    souls: createSoulReads(db),
    rooms,
    chatRooms: createRoomReads(db),
    models,
    chain,
    turns,
    replies,
    metrics: createMetrics(rooms.counts),
    rateLimits: createRateLimits(config.rateLimits),
    log,
    inBackground,
    stopping: stopping.signal,
    drain,
    async close() {
      await drain();
      clearInterval(sweeper);
      while (background.size > 0) await Promise.all(background);
      await database.close();
    },
  };
}
