import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Kind } from "./questions.ts";

/** Few, so that an answer's time is its own and not that of those before it. */
const CONNECTIONS = 2;
/** Of each kind, each way of asking alike. */
const ANSWERS = 120;

interface Asked {
  port: number;
  agent: Agent;
}

export const askedHub = ({ port }: { port: number }): Asked => ({
  port,
  agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
});

export interface KindTimes {
  kind: Kind;
  total: number;
  /** What is asked for is there only among the many: the few answer with an empty page. */
  isOfMany: boolean;
  small: number[];
  large: number[];
  /** The slowest way of asking, of the many souls. */
  worstPath: string;
}

/** Small, large, small, large, …: what disturbs the machine for a while disturbs both. */
export async function measureKind(kind: Kind, small: Asked, large: Asked): Promise<KindTimes> {
  const { paths } = kind;
  const times: KindTimes = { kind, total: 0, isOfMany: false, small: [], large: [], worstPath: "" };
  const counts = { small: 0, large: 0 };
  for (const path of paths) {
    counts.small += (await timed(small, path)).count;
    const { total, count } = await timed(large, path);
    counts.large += count;
    times.total = Math.max(times.total, total);
  }
  times.isOfMany = counts.small === 0 && counts.large > 0;
  let worst = 0;
  let asked = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let at = asked++; at < ANSWERS; at = asked++) {
        const path = paths[at % paths.length] ?? "";
        times.small.push((await timed(small, path)).ms);
        const { ms } = await timed(large, path);
        times.large.push(ms);
        if (ms > worst) times.worstPath = path;
        worst = Math.max(worst, ms);
      }
    }),
  );
  return times;
}

async function timed({ port, agent }: Asked, path: string) {
  const begin = performance.now();
  const [answer] = await once(get({ port, path, agent }), "response");
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  const ms = performance.now() - begin;
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  const { total, count } = JSON.parse(text) as { total: number; count: number };
  return { ms, total, count };
}
