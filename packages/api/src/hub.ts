import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { createDueDeletions } from "./account-deletion/delete-due-accounts.ts";
import { createAccountReads } from "./accounts/account.queries.ts";
import { noteKeyUse } from "./accounts/keys/named-keys.queries.ts";
import { createLoginThrottle, unthrottled } from "./accounts/passwords/login-throttle.ts";
import { createPasswordHashing, type PasswordCost } from "./accounts/passwords/password-hash.ts";
import { noteSessionUse } from "./accounts/session.service.ts";
import { sweepAudit } from "./audit/sweep-audit.ts";
import { type BackupScheduleOptions, createBackupSchedule } from "./backup/backup-schedule.ts";
import { type BackupOptions, createBackups } from "./backup/backups.ts";
import { createGuestRoomTouch, createGuestSoulDrop } from "./chat/addressing/guest-souls.ts";
import type { OwnModels } from "./chat/byok/own-models.ts";
import { createRoomSweep } from "./chat/history/room-sweep.ts";
import type { ModelPort } from "./chat/models/model-port.ts";
import { createMemoryReads } from "./chat/prompt/room-memory.queries.ts";
import { createRoomLog, createRoomReads } from "./chat/rows/chat-room.queries.ts";
import { cancelHere } from "./chat/send/cancel-reply.service.ts";
import { createModelCallQueue } from "./chat/send/model-call-queue.ts";
import { RunningReplies } from "./chat/send/running-replies.ts";
import { createModelUsageLog, sweepModelUsage } from "./chat/usage/model-usage-log.ts";
import type { Hub, HubConfig } from "./context.ts";
import { ClockWatch } from "./db/clock-watch.ts";
import type { Database } from "./db/database.ts";
import { isStorageFull } from "./db/database-errors.ts";
import { migrations } from "./db/migrate.ts";
import { SchemaWatch } from "./db/schema-version/schema-watch.ts";
import { Upkeep } from "./db/upkeep/upkeep.ts";
import type { EmbeddingModel } from "./embedding/embedding-model.ts";
import { errorForLog } from "./error-for-log.ts";
import { HubError } from "./errors.ts";
import { countOpenCases, registerHubGauges } from "./hub-gauges.ts";
import type { Mailer } from "./mail/mailer.ts";
import { createOutbox } from "./mail/outbox.ts";
import { watchMailer } from "./mail/watched-mailer.ts";
import { Maintenance } from "./maintenance.ts";
import { createMetrics } from "./metrics.ts";
import { endSuspensions } from "./moderation/actions/end-suspensions.ts";
import { sweepCases } from "./moderation/cases/sweep-cases.ts";
import { sweepEvidence } from "./moderation/evidence/evidence.queries.ts";
import { createNoticeCounts } from "./moderation/notices/notice-counts.queries.ts";
import { createSoulModeration } from "./moderation/notices/soul-moderation.queries.ts";
import { sweepQuotaHolds } from "./quota/quota-hold.service.ts";
import { createUnitReservations } from "./quota/unit-reservations.ts";
import { createRateLimits } from "./rate-limits.ts";
import { createActiveRooms } from "./rooms/active-rooms.ts";
import { memoryRoomBus } from "./rooms/bus/memory-room-bus.ts";
import { memoryPresenceStore } from "./rooms/presence/memory-presence-store.ts";
import type { RedisLink } from "./rooms/redis/redis-link.ts";
import { redisPorts } from "./rooms/redis/redis-ports.ts";
import { redisTurns } from "./rooms/redis/redis-turns.ts";
import { createRoomTimers } from "./rooms/room-timers.ts";
import { createSemaphore } from "./semaphore.ts";
import { createFormatThreads } from "./souls/format-thread/format-thread.ts";
import { createEmbedding } from "./souls/search/embedding.ts";
import { SearchUpkeep } from "./souls/search/search-upkeep.ts";
import { createSoulReads } from "./souls/soul.queries.ts";
import { sweepDeletedSouls } from "./souls/sweep-deleted-souls.ts";
import { createComparisonTurns } from "./souls/versions/diff/comparison-turns.ts";
import { createVersionNumbering } from "./souls/versions/numbering/version-numbering.ts";
import { StorageState } from "./storage-state.ts";
import { expiringTables, sweepExpired } from "./tables/expired-rows.ts";
import type { Tracer } from "./tracing/tracer.ts";
import { createConnectionDrain } from "./transport/connection-drain.ts";
import { sweepIdempotentCalls } from "./transport/rest/idempotency.ts";
import { createVault, type MasterKey } from "./vault.ts";
import type { ChainPort } from "./wallet/chain-port.ts";

export interface HubOptions {
  config: HubConfig;
  database: Database;
  masterKeys: readonly MasterKey[];
  models: ModelPort;
  ownModels: OwnModels;
  chain: ChainPort | null;
  log: Logger;
  /** Receives traces. Without it nothing is traced (0070). */
  tracer?: Tracer | null;
  /** Sends mail. Without it nothing is mailed (0059). */
  mail?: Mailer | null;
  /** Finds souls by meaning. Without it the search compares words alone (0079). */
  embeddingModel?: EmbeddingModel | null;
  /** The Redis connection through which rooms span servers. The hub closes it when it stops. */
  redis?: RedisLink | undefined;
  /** Without it the hub can't be backed up, as a database in memory. */
  backup?: BackupOptions | undefined;
  /** The backups that the hub writes by itself. Without it, the operator does. */
  backupSchedule?: BackupScheduleOptions | undefined;
  /** The cost of one password hash; by default that of decisions §3. */
  passwordCost?: PasswordCost;
  /** Milliseconds that running replies get when the hub stops. With 0 the hub does not wait. */
  drainMs?: number;
}

const DRAIN_MS = 6_000;
const SWEEP_MS = 60_000;
const SCHEMA_CHECK_MS = 15_000;
const UPKEEP_MS = 2_000;
const SEARCH_UPKEEP_MS = 2_000;
const MAX_WAITING_SEARCHES = 20;
/** Imports of archives at the same time, each of which unpacks into memory and onto the disk (0053). */
const MAX_ARCHIVE_IMPORTS = 2;

/** Composes a hub from its ports. The hub does not listen; `close` ends everything it started. */
export function createHub({
  config,
  database,
  masterKeys,
  models,
  ownModels,
  chain,
  log: root,
  tracer = null,
  mail: mailer = null,
  embeddingModel = null,
  redis,
  backup,
  backupSchedule,
  passwordCost,
  drainMs = DRAIN_MS,
}: HubOptions): Hub {
  const { db } = database;
  const log = root.child({}, { serializers: { err: errorForLog } });
  const background = new Set<Promise<unknown>>();
  const inBackground: Hub["inBackground"] = (doing, work) => {
    const settled = work
      .catch((error: unknown) => {
        // The stop ends a backup that runs. The next start writes it.
        if (stopping.signal.aborted && error instanceof Error && error.name === "AbortError")
          return;
        if (isStorageFull(error)) storage.foundFull();
        metrics.backgroundFailures.inc({ task: doing });
        log.error({ err: error, doing }, "background work failed");
      })
      .finally(() => background.delete(settled));
    background.add(settled);
  };
  const replies = new RunningReplies();
  const chatRooms = createRoomReads(db);
  const nodeId = randomBytes(4).toString("hex");
  const redisPrefix = `soulhub:${database.id}`;
  const timers = createRoomTimers();
  const onError = (error: unknown, doing: string) =>
    log.error({ err: error, doing }, "a live room failed");
  const rooms = createActiveRooms({
    ...(redis
      ? redisPorts({ link: redis, prefix: redisPrefix, nodeId, timers, onError })
      : { bus: memoryRoomBus(), presence: memoryPresenceStore(timers.now) }),
    log: createRoomLog(db),
    nodeId,
    timers,
    onError,
    onCancelReply: (replyId, participantId) => {
      const cancelled = cancelHere({ replies, chatRooms }, replyId, participantId);
      inBackground("cancelling a reply", cancelled);
    },
    onCancelReplies: (roomKey, bannedId) => replies.cancelIn(roomKey, bannedId),
  });
  const metrics = createMetrics(rooms.counts);
  const storage = new StorageState({
    database,
    reserveBytes: config.diskReserveBytes,
    registry: metrics.registry,
    log,
  });
  database.statements.logSlow({ ms: config.slowQueryMs, log });
  const mail = mailer && watchMailer(mailer, metrics.mails);
  const maintenance = new Maintenance();
  const upkeep = database.kind === "pglite" ? new Upkeep({ db, registry: metrics.registry }) : null;
  const backups = createBackups(
    { database, version: config.version, masterKeys, maintenance, upkeep },
    backup ?? null,
  );
  // Without a schedule there are no times of backups, over which an alert would fire.
  const schedule = backupSchedule?.everyHours
    ? createBackupSchedule({ backups, registry: metrics.registry, log }, backupSchedule)
    : null;
  const modelUsage = createModelUsageLog({ db, metrics, log });
  const modelCalls = createModelCallQueue(config.modelCallsAtOnce);
  const connectionDrain = createConnectionDrain(drainMs > 0);
  connectionDrain.add({ members: rooms.waits, ask: (wait) => wait.end("timeout") });
  const stopping = new AbortController();
  let drained: Promise<void> | undefined;
  const drain = () => {
    drained ??= (async () => {
      stopping.abort(new HubError("shutting_down"));
      modelCalls.close();
      const late = setTimeout(() => replies.cancelAll(), drainMs);
      await Promise.all([modelCalls.idle(), connectionDrain.run()]);
      clearTimeout(late);
      await rooms.close();
    })();
    return drained;
  };
  // A sweep follows a minute after the last one, so the turn must have ended by then.
  const takeTurn = redis
    ? redisTurns(redis, `${redisPrefix}:room-sweep`, SWEEP_MS - 1_000)
    : async () => true;
  const sweepRooms = createRoomSweep({ db, rooms, config, takeTurn });
  const numberVersions = createVersionNumbering({
    db,
    maintenance,
    log,
    isPaused: () => stopping.signal.aborted || storage.isFull,
  });
  const embedding = createEmbedding(embeddingModel);
  const isPaused = () => stopping.signal.aborted || storage.isFull || maintenance.isOn;
  const searchUpkeep = new SearchUpkeep({
    database,
    embedding,
    maintenance,
    metrics,
    log,
    isPaused,
  });
  /** The parts of the hub that other parts need. */
  const parts = {
    config,
    database,
    vault: createVault(masterKeys),
    rooms,
    mail,
    metrics,
    embedding,
    searchUpkeep,
    maintenance,
    storage,
    inBackground,
    stopping: stopping.signal,
    log,
    dropGuestSoul: createGuestSoulDrop({ database, rooms }),
    touchGuestRooms: createGuestRoomTouch({ database, rooms }),
  };
  const deleteDueAccounts = createDueDeletions(parts);
  const outbox = createOutbox(parts);
  const clock = database.kind === "postgresql" ? new ClockWatch(metrics.registry) : null;
  const schema = new SchemaWatch(migrations.length);
  const bus = () => (redis ? (redis.isUp ? "ok" : "down") : "in-process");
  const gauges = registerHubGauges({ ...parts, modelCalls, bus, schema });
  const sweep = () => {
    if (maintenance.isOn || storage.isFull) return;
    inBackground("sweeping quota holds", sweepQuotaHolds(db));
    for (const table of expiringTables) {
      inBackground(`sweeping ${table.replaceAll("_", " ")}`, sweepExpired(db, table));
    }
    inBackground("sending waiting mails", outbox.sendDue());
    inBackground("sweeping idempotent calls", sweepIdempotentCalls(db));
    inBackground("sweeping usage rows", sweepModelUsage(db, config.retainUsageDays));
    inBackground("sweeping rooms", sweepRooms());
    inBackground("sweeping deleted souls", sweepDeletedSouls(db));
    inBackground("deleting accounts", deleteDueAccounts());
    inBackground("numbering versions", numberVersions());
    inBackground("sweeping evidence", sweepEvidence(db));
    inBackground("sweeping cases", sweepCases(db, config.retainReportsDays));
    inBackground("sweeping the audit log", sweepAudit(db, config.retainAuditDays));
    inBackground("ending suspensions", endSuspensions(parts));
    inBackground(
      "counting open cases",
      countOpenCases(db).then((open) => gauges.openCases.set(open)),
    );
    if (clock) inBackground("comparing clocks", clock.check(db, log));
    if (upkeep) inBackground("analysing tables", upkeep.analyze());
  };
  const sweeper = setInterval(() => {
    sweep();
    if (schedule && !maintenance.isOn) inBackground("backing up", schedule.run());
  }, SWEEP_MS).unref();
  sweep();
  const upkeepTimer = setInterval(() => {
    if (upkeep && !maintenance.isOn) inBackground("keeping the database up", upkeep.run());
  }, UPKEEP_MS).unref();
  const searchTimer = setInterval(() => {
    inBackground("keeping the search up", searchUpkeep.run());
  }, SEARCH_UPKEEP_MS).unref();
  const checkSchema = async () => {
    try {
      await schema.check(db, log);
      gauges.databaseUp.set(1);
    } catch (error) {
      gauges.databaseUp.set(0);
      throw error;
    }
  };
  gauges.databaseUp.set(1);
  const schemaCheck = setInterval(() => {
    inBackground("checking the schema version", checkSchema());
  }, SCHEMA_CHECK_MS).unref();

  const formats = createFormatThreads();
  return {
    ...parts,
    accounts: createAccountReads(db, (used) => {
      if (maintenance.isOn || storage.isFull) return;
      inBackground("noting the use of API keys", noteKeyUse(db, used));
      inBackground("noting the use of sessions", noteSessionUse(db, used.sessions));
    }),
    passwords: createPasswordHashing(passwordCost),
    loginThrottle: config.rateLimits ? createLoginThrottle(() => performance.now()) : unthrottled,
    souls: createSoulReads(db),
    deleteDueAccounts,
    moderationOfSoul: createSoulModeration({ database }),
    countNotices: createNoticeCounts({ database }),
    comparing: createComparisonTurns(),
    exportingAccounts: new Set(),
    archiveImports: createSemaphore(MAX_ARCHIVE_IMPORTS, 0),
    formats,
    bus,
    chatRooms,
    memories: createMemoryReads(db),
    reserveUnits: createUnitReservations(db),
    models,
    ownModels,
    modelUsage,
    chain,
    outbox,
    modelCalls,
    replies,
    // Storing replies may use half of the database connections. The others stay free for reads and
    // new questions.
    storing: createSemaphore(Math.ceil(database.connections / 2)),
    searching: createSemaphore(Math.ceil(database.connections / 5), MAX_WAITING_SEARCHES),
    upkeep,
    backups,
    move: { step: "none", rows: 0, reason: "" },
    schema,
    tracer,
    rateLimits: config.rateLimits
      ? createRateLimits((rule) => metrics.rateLimited.inc({ rule }))
      : null,
    connectionDrain,
    drain,
    async close() {
      await drain();
      clearInterval(sweeper);
      clearInterval(upkeepTimer);
      clearInterval(searchTimer);
      storage.close();
      await backups.close();
      clearInterval(schemaCheck);
      await formats.close();
      while (background.size > 0) await Promise.all(background);
      await embedding?.model.close();
      mail?.close();
      await modelUsage.flush();
      await redis?.close();
      await database.close();
    },
  };
}
