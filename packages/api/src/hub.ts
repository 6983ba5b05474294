import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { createAccountReads } from "./accounts/account.queries.ts";
import { createLoginThrottle, unthrottled } from "./accounts/login-throttle.ts";
import { sweepSessions } from "./accounts/session.service.ts";
import type { OwnModels } from "./chat/byok/own-models.ts";
import { cancelHere } from "./chat/cancel-reply.service.ts";
import { createRoomLog, createRoomReads } from "./chat/chat-room.queries.ts";
import { createChatTurns } from "./chat/chat-turns.ts";
import type { ModelPort } from "./chat/models/model-port.ts";
import { createMemoryReads } from "./chat/room-memory.queries.ts";
import { createRunningReplies } from "./chat/running-replies.ts";
import { createStoringLine } from "./chat/storing-line.ts";
import { createModelUsageLog, sweepModelUsage } from "./chat/usage/model-usage-log.ts";
import type { Hub, HubConfig } from "./context.ts";
import type { Database } from "./db/connect.ts";
import { createHandOver } from "./doors/hand-over.ts";
import { errorForLog } from "./error-for-log.ts";
import { HubError } from "./errors.ts";
import { createMetrics } from "./metrics.ts";
import { sweepQuotaDays, sweepQuotaHolds } from "./quota/quota-hold.service.ts";
import { createUnitReservations } from "./quota/unit-reservations.ts";
import { createRateLimits } from "./rate-limits.ts";
import { sweepIdempotentCalls } from "./rest/idempotency.ts";
import { createActiveRooms } from "./rooms/active-rooms.ts";
import { memoryPresenceStore } from "./rooms/memory-presence-store.ts";
import { memoryRoomBus } from "./rooms/memory-room-bus.ts";
import type { RedisLink } from "./rooms/redis/redis-link.ts";
import { redisPorts } from "./rooms/redis/redis-ports.ts";
import { createRoomTimers } from "./rooms/room-timers.ts";
import { createSoulReads } from "./souls/soul.queries.ts";
import { createVault, type MasterKey } from "./vault.ts";
import type { ChainPort } from "./wallet/chain-port.ts";
import { sweepUsedProofs } from "./wallet/single-use.ts";

export interface HubOptions {
  config: HubConfig;
  database: Database;
  masterKeys: readonly MasterKey[];
  models: ModelPort;
  ownModels: OwnModels;
  chain: ChainPort | null;
  log: Logger;
  /** Joins its rooms with those of the other servers on that Redis. The hub closes it in the end. */
  redis?: RedisLink | undefined;
  /** How long replies that are being written may go on when the hub stops; 0: nobody is waited for. */
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
  ownModels,
  chain,
  log: root,
  redis,
  drainMs = DRAIN_MS,
}: HubOptions): Hub {
  const { db } = database;
  const log = root.child({}, { serializers: { err: errorForLog } });
  const background = new Set<Promise<unknown>>();
  const inBackground: Hub["inBackground"] = (doing, work) => {
    const settled = work
      .catch((error: unknown) => log.error({ err: error, doing }, "background work failed"))
      .finally(() => background.delete(settled));
    background.add(settled);
  };
  const replies = createRunningReplies();
  const chatRooms = createRoomReads(db);
  const nodeId = randomBytes(4).toString("hex");
  const timers = createRoomTimers();
  const onError = (error: unknown, doing: string) =>
    log.error({ err: error, doing }, "a live room has trouble");
  const rooms = createActiveRooms({
    ...(redis
      ? redisPorts({ link: redis, prefix: `soulhub:${database.id}`, nodeId, timers, onError })
      : { bus: memoryRoomBus(), presence: memoryPresenceStore(timers.now) }),
    log: createRoomLog(db),
    nodeId,
    timers,
    onError,
    onCancelReply: (replyId, participantId) => {
      const cancelled = cancelHere({ replies, chatRooms }, replyId, participantId);
      inBackground("calling a reply back", cancelled);
    },
  });
  const metrics = createMetrics(rooms.counts);
  const modelUsage = createModelUsageLog({ db, metrics, log });
  const turns = createChatTurns(config.modelCallsAtOnce);
  const handOver = createHandOver(drainMs > 0);
  const stopping = new AbortController();
  let drained: Promise<void> | undefined;
  const drain = () => {
    drained ??= (async () => {
      stopping.abort(new HubError("shutting_down"));
      turns.close();
      const late = setTimeout(() => replies.cancelAll(), drainMs);
      await Promise.all([turns.idle(), handOver.run()]);
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
    inBackground("sweeping usage rows", sweepModelUsage(db));
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
    bus: () => (redis ? (redis.isUp ? "ok" : "down") : "in-process"),
    chatRooms,
    memories: createMemoryReads(db),
    reserveUnits: createUnitReservations(db),
    models,
    ownModels,
    modelUsage,
    chain,
    turns,
    replies,
    // The other half is for questions.
    storing: createStoringLine(Math.ceil(database.connections / 2)),
    metrics,
    rateLimits: config.rateLimits ? createRateLimits() : null,
    log,
    inBackground,
    handOver,
    stopping: stopping.signal,
    drain,
    async close() {
      await drain();
      clearInterval(sweeper);
      while (background.size > 0) await Promise.all(background);
      await modelUsage.flush();
      await redis?.close();
      await database.close();
    },
  };
}
