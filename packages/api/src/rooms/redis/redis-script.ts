import { createHash } from "node:crypto";
import type { RedisLink } from "./redis-link.ts";

/**
 * Returns a function that runs a Lua script atomically in Redis. The script is loaded once per
 * connection and called by its hash. The function throws RedisDownError if Redis is down.
 */
export function redisScript<Answer>(link: RedisLink, source: string) {
  const hash = createHash("sha1").update(source).digest("hex");
  link.prepare((client) => client.scriptLoad(source));
  return (keys: string[], args: (string | number)[]): Promise<Answer> =>
    link.run(async (client) => {
      const call = { keys, arguments: args.map(String) };
      const answer = client.evalSha(hash, call).catch((error: unknown) => {
        // Redis has dropped the script from its script cache.
        if (String((error as Error).message).startsWith("NOSCRIPT"))
          return client.eval(source, call);
        throw error;
      });
      return (await answer) as Answer;
    });
}
