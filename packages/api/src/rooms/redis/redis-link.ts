import { createClient, ErrorReply } from "@redis/client";
import { checkVersion, RedisConnectError } from "./redis-faults.ts";

/** A connection that does not open within this time is given up. */
const CONNECT_MS = 5_000;
/** A Redis that hangs (or a network that swallows) is found after these two at the latest. */
const PING_MS = 1_000;
const ANSWER_MS = 3_000;
/** Nobody who enters a room waits longer for Redis: what it would have said is done without. */
const COMMAND_MS = 1_000;
/** Full jitter up to this: a Redis that is back has all its servers within a second or two. */
const RETRY_MS = 1_000;
/** A Redis that refuses what it is asked is complained of this often. */
const COMPLAINT_MS = 10_000;

export type RedisClient = ReturnType<typeof newClient>;

export interface RedisLinkOptions {
  /** `redis://…` or `rediss://…`. */
  url: string;
  /** The connection broke; told once, until it is back. */
  onDown: (error: unknown) => void;
  onUp: () => void;
  /** Redis answered, but with an error. */
  onRefused: (error: unknown) => void;
}

/** One connection to Redis that is opened again whenever it breaks. Nothing waits while it is broken. */
export interface RedisLink {
  readonly isUp: boolean;
  /** Since when it has been up without a break, by performance.now(); 0 where it never broke. */
  readonly upSince: number;
  /**
   * Runs commands on the connection.
   * @throws RedisDownError when there is none, or no answer within a second; else what Redis said
   */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T>;
  /** What was asked of Redis, or `without` where it did not say. */
  or<T>(asked: Promise<T>, without: T): Promise<T>;
  /** Runs on every new connection before it counts as up, and now. */
  prepare(step: (client: RedisClient) => Promise<unknown>): void;
  /** Calls back when the connection is there again after it was lost. */
  onReturn(listener: () => void): () => void;
  close(): Promise<void>;
}

export class RedisDownError extends Error {
  override name = "RedisDownError";
}

const newClient = (url: string) =>
  createClient({
    url,
    RESP: 3,
    name: "soul-hub",
    maintNotifications: "disabled",
    disableOfflineQueue: true,
    // One client for one connection: what is to be done when it breaks is decided here.
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    // Its own limit holds only until a command is sent, and costs a timer for each.
    commandOptions: { timeout: 0 },
  });

/** @throws RedisConnectError when the first connection can't be opened */
export async function connectRedis(options: RedisLinkOptions): Promise<RedisLink> {
  const steps: ((client: RedisClient) => Promise<unknown>)[] = [];
  const listeners = new Set<() => void>();
  let client: RedisClient | undefined;
  let isUp = false;
  let upSince = 0;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let complainedAt = Number.NEGATIVE_INFINITY;

  async function open(): Promise<void> {
    const opened = newClient(options.url);
    const lost = (error: unknown) => {
      opened.destroy();
      if (client === opened) fall(error);
    };
    opened.on("error", lost);
    await within(CONNECT_MS, opened.connect()).catch((error: unknown) => {
      opened.destroy();
      throw error;
    });
    if (isClosed) return opened.destroy();
    // From here on a new subscription goes to this connection; `prepare` makes the earlier ones.
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
    watchOver(opened, lost);
  }

  function watchOver(opened: RedisClient, lost: (error: unknown) => void): void {
    watch = setTimeout(async () => {
      try {
        await within(ANSWER_MS, opened.ping());
        if (client === opened) watchOver(opened, lost);
      } catch (error) {
        lost(error);
      }
    }, PING_MS).unref();
  }

  function fall(error: unknown): void {
    const wasUp = isUp;
    client = undefined;
    isUp = false;
    // Until it is back.
    upSince = Number.POSITIVE_INFINITY;
    clearTimeout(watch);
    if (!wasUp || isClosed) return;
    options.onDown(error);
    tryAgain();
  }

  function tryAgain(): void {
    if (isClosed) return;
    retry = setTimeout(async () => {
      try {
        await open();
      } catch {
        return tryAgain();
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
        throw error instanceof ErrorReply
          ? error
          : new RedisDownError("no answer", { cause: error });
      }
    },
    async or(asked, without) {
      try {
        return await asked;
      } catch (error) {
        if (error instanceof ErrorReply && performance.now() - complainedAt >= COMPLAINT_MS) {
          complainedAt = performance.now();
          options.onRefused(error);
        }
        return without;
      }
    },
    prepare(step) {
      steps.push(step);
      // Where it fails now, the next connection does it.
      if (client) step(client).catch(() => undefined);
    },
    onReturn(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RedisDownError(`no answer within ${ms} ms`)), ms);
  // Of two that fail, the later one has nobody left to tell.
  work.catch(() => undefined);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
