import type { RedisLink } from "./redis-link.ts";

/**
 * Returns a function that takes the next turn of a task that the servers of a hub share. In
 * `everyMs`, it returns true on one server only. During an outage of Redis it returns false.
 */
export function redisTurns(link: RedisLink, key: string, everyMs: number): () => Promise<boolean> {
  return async () => {
    const taken = link.run((client) =>
      client.set(key, "", { condition: "NX", expiration: { type: "PX", value: everyMs } }),
    );
    return (await link.or(taken, null)) !== null;
  };
}
