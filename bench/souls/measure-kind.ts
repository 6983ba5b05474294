import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Kind } from "./request-kinds.ts";

/** The number of concurrent requests: few, so that a request seldom waits for others. */
const CONNECTIONS = 2;
/** The number of requests of each kind, spread evenly over the paths of that kind. */
const REQUESTS = 120;

interface BenchTarget {
  port: number;
  agent: Agent;
}

export const benchTarget = ({ port }: { port: number }): BenchTarget => ({
  port,
  agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
});

export interface KindTimes {
  kind: Kind;
  /**
   * The largest `total` in a response of the hub with the large database; undefined if no response
   * has a total.
   */
  total: number | undefined;
  /**
   * True if only the hub with the large database returns entries. The response times of the hubs
   * are then not comparable.
   */
  isEmptyInSmall: boolean;
  /** Response times in milliseconds. */
  small: number[];
  large: number[];
  /** The path of the slowest response of the hub with the large database. */
  worstPath: string;
}

/**
 * Alternates between the hubs with the small and the large database. A disturbance of the machine
 * then affects both.
 */
export async function measureKind(
  kind: Kind,
  small: BenchTarget,
  large: BenchTarget,
): Promise<KindTimes> {
  const { paths } = kind;
  const times: KindTimes = {
    kind,
    total: undefined,
    isEmptyInSmall: false,
    small: [],
    large: [],
    worstPath: "",
  };
  const counts = { small: 0, large: 0 };
  for (const path of paths) {
    counts.small += (await timed(small, path)).count;
    const { total, count } = await timed(large, path);
    counts.large += count;
    if (total !== undefined) times.total = Math.max(times.total ?? 0, total);
  }
  times.isEmptyInSmall = counts.small === 0 && counts.large > 0;
  let worst = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let at = next++; at < REQUESTS; at = next++) {
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

async function timed({ port, agent }: BenchTarget, path: string) {
  const begin = performance.now();
  const [answer] = await once(get({ port, path, agent }), "response");
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  const ms = performance.now() - begin;
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  const { total, count } = JSON.parse(text) as { total?: number; count: number };
  return { ms, total, count };
}
