const DEFAULT_SERVER = "redis://127.0.0.1:6379";

/**
 * Benchmark runs may share a Redis server: each database has its own key prefix, and all keys
 * expire.
 */
export const redisUrl = (): string =>
  process.env.BENCH_REDIS_URL || process.env.TEST_REDIS_URL || DEFAULT_SERVER;
