import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { RedisLink, RedisLinkOptions } from "./redis-link.ts";
import { connectRedis } from "./redis-link.ts";

/** Returns a unique prefix for the keys and channels of one test. */
export const ownPrefix = () => `soulhub-test:${randomBytes(6).toString("hex")}`;

/** Opens the Redis connection of a server; by default to the Redis at TEST_REDIS_URL. */
export function openLink(options: Partial<RedisLinkOptions> = {}): Promise<RedisLink> {
  return connectRedis({
    url: inject("services").redis ?? "",
    onDown: () => {},
    onUp: () => {},
    onRefused: (error) => {
      throw error;
    },
    ...options,
  });
}

/**
 * Returns every key with the prefix and its remaining milliseconds; -1 for a key without expiry.
 */
export async function keysOf(link: RedisLink, prefix: string): Promise<Map<string, number>> {
  return link.run(async (client) => {
    const keys = await client.keys(`${prefix}:*`);
    return new Map(
      await Promise.all(
        keys.map(async (key): Promise<[string, number]> => [key, await client.pTTL(key)]),
      ),
    );
  });
}
