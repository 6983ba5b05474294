import { createHash } from "node:crypto";
import type { RedisLink } from "./redis-link.ts";

/**
 * A script that Redis runs as one step, sent once per connection and called by its hash.
 * @throws RedisDownError
 */
export function redisScript<Answer>(link: RedisLink, source: string) {
  const hash = createHash("sha1").update(source).digest("hex");
  link.prepare((client) => client.scriptLoad(source));
  return (keys: string[], args: (string | number)[]): Promise<Answer> =>
    link.run(async (client) => {
      const call = { keys, arguments: args.map(String) };
      const answer = client.evalSha(hash, call).catch((error: unknown) => {
        // Somebody has emptied its scripts since.
        if (String((error as Error).message).startsWith("NOSCRIPT"))
          return client.eval(source, call);
        throw error;
      });
      return (await answer) as Answer;
    });
}
