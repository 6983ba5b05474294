import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { RedisLink, RedisLinkOptions } from "./redis-link.ts";
import { connectRedis } from "./redis-link.ts";

/** Nobody else's keys and channels. */
export const ownPrefix = () => `soulhub-test:${randomBytes(6).toString("hex")}`;

/** A connection as one server has it; by default to the Redis that TEST_REDIS_URL names. */
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

/** Every key under the prefix, with the ms it has left; -1 for one that stays for ever. */
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
