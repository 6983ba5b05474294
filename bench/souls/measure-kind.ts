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
  small: number[];
  large: number[];
  /** The slowest way of asking, of the many souls. */
  worstPath: string;
}

/** Small, large, small, large, …: what disturbs the machine for a while disturbs both. */
export async function measureKind(kind: Kind, small: Asked, large: Asked): Promise<KindTimes> {
  const { paths } = kind;
  const times: KindTimes = { kind, total: 0, small: [], large: [], worstPath: "" };
  for (const path of paths) {
    await timed(small, path);
    times.total = Math.max(times.total, (await timed(large, path)).total);
  }
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
  return { ms, total: (JSON.parse(text) as { total: number }).total };
}
