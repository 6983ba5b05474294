import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Server } from "../processes/server.ts";
import { blame, type Values } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import type { Stage } from "../runner/stage.ts";
import type { Kind } from "./request-kinds.ts";

/** The number of concurrent requests: few, so that a request seldom waits for others. */
const CONNECTIONS = 2;
/** The number of requests of each kind, spread evenly over its paths. */
const REQUESTS = 120;

export interface KindTimes {
  kind: Kind;
  /** Response times in milliseconds, of the hubs with the small and the large database. */
  small: number[];
  large: number[];
  /** The largest `total` in a response of the hub with the large database. */
  total: number;
  /** The path of the slowest response of the hub with the large database. */
  worstPath: string;
}

/**
 * Alternates between the hubs with the small and the large database. A disturbance of the machine
 * then affects both. In `pnpm bench smoke` both have the same souls and must list the same.
 */
export async function measureKind(
  stage: Stage,
  kind: Kind,
  small: Server,
  large: Server,
): Promise<KindTimes> {
  const { paths } = kind;
  const times: KindTimes = { kind, small: [], large: [], total: 0, worstPath: "" };
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CONNECTIONS });
  for (const path of paths) {
    const [expected, listed] = [await timed(agent, small, path), await timed(agent, large, path)];
    times.total = Math.max(times.total, listed.total ?? 0);
    if (stage.isSmoke) {
      await blame(large.name, async () =>
        assert.deepEqual(listed.ids, expected.ids, `${path} differs from ${small.name}`),
      );
    }
  }
  let worst = 0;
  let next = 0;
  const requests = stage.size(REQUESTS, 0);
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let at = next++; at < requests; at = next++) {
        const path = paths[at % paths.length] ?? "";
        times.small.push((await timed(agent, small, path)).ms);
        const { ms } = await timed(agent, large, path);
        times.large.push(ms);
        if (ms > worst) times.worstPath = path;
        worst = Math.max(worst, ms);
      }
    }),
  );
  agent.destroy();
  return times;
}

const timed = (agent: Agent, { name, port }: Server, path: string) =>
  blame(name, async () => {
    const begin = performance.now();
    const [answer] = await once(get({ port, path, agent }), "response");
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) text += chunk;
    const ms = performance.now() - begin;
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    const { total, data } = JSON.parse(text) as { total?: number; data: { id: number }[] };
    return { ms, total, ids: data.map(({ id }) => id) };
  });

/** The quantiles of both hubs in milliseconds, and the ratio of their 95th percentiles. */
export function quantilesOf({ small, large }: Pick<KindTimes, "small" | "large">): Values {
  const values: Values = {};
  for (const [hub, taken] of Object.entries({ "10 k": small, "1 M": large })) {
    for (const [name, share] of Object.entries({ p50: 0.5, p95: 0.95, p99: 0.99, worst: 1 })) {
      values[`${hub} ${name}`] = quantile(taken, share);
    }
  }
  return { ...values, "p95 ratio": quantile(large, 0.95) / quantile(small, 0.95) };
}
