const DEFAULT_SERVER = "redis://127.0.0.1:6379";

/** Hubs keep apart on it by their database, and what they put there runs out by itself. */
export const redisUrl = (): string =>
  process.env.BENCH_REDIS_URL || process.env.TEST_REDIS_URL || DEFAULT_SERVER;
