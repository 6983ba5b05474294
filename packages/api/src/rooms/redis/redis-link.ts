import type * as redis from "@redis/client";
import { checkVersion, RedisConnectError } from "./redis-faults.ts";

const CONNECT_MS = 5_000;
/** Interval of pings. A Redis or network that hangs is noticed within PING_MS + ANSWER_MS. */
const PING_MS = 1_000;
const ANSWER_MS = 3_000;
/** The timeout of a command. A client that joins a room waits no longer for Redis. */
const COMMAND_MS = 1_000;
/** Maximum delay of a reconnect, with full jitter. */
const RETRY_MS = 1_000;
/** The shortest interval between two reports of error replies. */
const REPORT_MS = 10_000;

type Redis = Pick<typeof redis, "createClient" | "ErrorReply">;
export type RedisClient = ReturnType<typeof newClient>;

export interface RedisLinkOptions {
  /** The URL of the Redis server: `redis://…` or `rediss://…`. */
  url: string;
  /** Called when the connection breaks, but not again until it was restored. */
  onDown: (error: unknown) => void;
  onUp: () => void;
  /** Called when Redis sent an error reply, at most once in REPORT_MS. */
  onRefused: (error: unknown) => void;
}

/** A connection to Redis that reconnects. Commands fail at once while it is down. */
export interface RedisLink {
  readonly isUp: boolean;
  /** performance.now() at the last reconnect; 0 before any outage, Infinity during an outage. */
  readonly upSince: number;
  /**
   * Runs commands on the connection.
   * @throws RedisDownError without a connection or a reply within a second
   * @throws ErrorReply if Redis sends an error
   */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T>;
  /** Returns the result of a command, or `fallback` if the command failed. */
  or<T>(command: Promise<T>, fallback: T): Promise<T>;
  /** Runs `step` now, and on every new connection before `isUp` becomes true. */
  prepare(step: (client: RedisClient) => Promise<unknown>): void;
  /** Calls `listener` after every reconnect. */
  onReconnect(listener: () => void): () => void;
  close(): Promise<void>;
}

export class RedisDownError extends Error {
  override name = "RedisDownError";
}

const newClient = ({ createClient }: Redis, url: string) =>
  createClient({
    url,
    RESP: 3,
    name: "soul-hub",
    maintNotifications: "disabled",
    disableOfflineQueue: true,
    // The Redis client does not reconnect: this module opens a new one for each connection.
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    // The timeout of the Redis client covers only the sending of a command. This module limits the
    // wait for the reply instead.
    commandOptions: { timeout: 0 },
  });

/** @throws RedisConnectError if the first connection fails or Redis is too old */
export async function connectRedis(options: RedisLinkOptions): Promise<RedisLink> {
  // A hub without Redis does not load its client (0081).
  const redis: Redis = await import("@redis/client");
  const steps: ((client: RedisClient) => Promise<unknown>)[] = [];
  const listeners = new Set<() => void>();
  let client: RedisClient | undefined;
  let isUp = false;
  let upSince = 0;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;

  async function open(): Promise<void> {
    const opened = newClient(redis, options.url);
    const lost = (error: unknown) => {
      opened.destroy();
      if (client === opened) disconnect(error);
    };
    opened.on("error", lost);
    await within(CONNECT_MS, opened.connect()).catch((error: unknown) => {
      opened.destroy();
      throw error;
    });
    if (isClosed) return opened.destroy();
    // From now on, new subscriptions use this connection. The steps below restore the earlier ones.
    client = opened;
    try {
      for (const step of steps) await within(ANSWER_MS, step(opened));
    } catch (error) {
      lost(error);
      throw error;
    }
    if (client !== opened) throw new RedisDownError("the connection broke as it was opened");
    isUp = true;
    upSince = Math.min(upSince, performance.now());
    startPings(opened, lost);
  }

  function startPings(opened: RedisClient, lost: (error: unknown) => void): void {
    watch = setTimeout(async () => {
      try {
        await within(ANSWER_MS, opened.ping());
        if (client === opened) startPings(opened, lost);
      } catch (error) {
        lost(error);
      }
    }, PING_MS).unref();
  }

  function disconnect(error: unknown): void {
    const wasUp = isUp;
    client = undefined;
    isUp = false;
    upSince = Number.POSITIVE_INFINITY;
    clearTimeout(watch);
    if (!wasUp || isClosed) return;
    options.onDown(error);
    reconnect();
  }

  function reconnect(): void {
    if (isClosed) return;
    retry = setTimeout(async () => {
      try {
        await open();
      } catch {
        return reconnect();
      }
      if (isClosed) return;
      options.onUp();
      for (const listener of [...listeners]) listener();
    }, Math.random() * RETRY_MS);
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(retry);
    clearTimeout(watch);
    isUp = false;
    const last = client;
    client = undefined;
    last?.destroy();
  }

  try {
    await open();
    await within(ANSWER_MS, checkVersion(client));
  } catch (error) {
    await close();
    throw new RedisConnectError(error);
  }

  return {
    get isUp() {
      return isUp;
    },
    get upSince() {
      return upSince;
    },
    async run(work) {
      if (!client) throw new RedisDownError("no connection to Redis");
      try {
        return await within(COMMAND_MS, work(client));
      } catch (error) {
        throw error instanceof redis.ErrorReply
          ? error
          : new RedisDownError("no answer", { cause: error });
      }
    },
    async or(command, fallback) {
      try {
        return await command;
      } catch (error) {
        if (error instanceof redis.ErrorReply && performance.now() - reportedAt >= REPORT_MS) {
          reportedAt = performance.now();
          options.onRefused(error);
        }
        return fallback;
      }
    },
    prepare(step) {
      steps.push(step);
      // If the step fails now, it runs again on the next connection.
      if (client) step(client).catch(() => undefined);
    },
    onReconnect(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
}

/**
 * Waits for an answer of Redis. After a pause of this process, timers fire before the answer is
 * read. The second half of the time therefore begins when the process runs.
 */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new RedisDownError(`no answer within ${ms} ms`));
  let timer = setTimeout(() => {
    timer = setTimeout(() => setImmediate(fail), ms / 2);
  }, ms / 2);
  // Handles a rejection of `work` after the timeout. Otherwise it would be an unhandled rejection.
  work.catch(() => undefined);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
