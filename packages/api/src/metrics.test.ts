import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

const MAX_SERIES = 2_000;
/** Series of the metrics that other files register: statements, upkeep, rules, tasks and gauges. */
const ELSEWHERE = 360;

const countSeries = (text: string) => text.split("\n").filter((line) => /^[a-z]/.test(line)).length;

it("a server has at most 2,000 series, whatever callers and providers do (0071)", async () => {
  const metrics = createMetrics(() => ({ rooms: 0, sessions: 0, replies: 0 }));
  for (let n = 0; n < 300; n++) {
    const [provider, model, outcome] = [`provider-${n % 9}`, `model-${n % 20}`, `failure_${n}`];
    metrics.chats.note({ provider, model, outcome });
    metrics.modelTokens.note({ provider, model, direction: "input" }, 1);
    metrics.modelSeconds.note({ provider, model, outcome }, 1);
    metrics.firstTokenSeconds.note({ provider, model }, 1);
    metrics.logins.note({ way: "password", outcome });
    const status = [200, 201, 204, 302, 304, 400, 401, 403, 404, 405, 409, 413, 429, 500, 503];
    for (const code of status) {
      for (const method of ["GET", "POST", `M${n % 35}`]) {
        metrics.requests.note({ method, route: `/api/${n}`, status: code }, 1);
        metrics.requests.note({ method, route: "/api/chat-sync", status: code }, 1);
      }
    }
  }
  const text = await metrics.registry.metrics();
  expect(countSeries(text)).toBeLessThan(MAX_SERIES - ELSEWHERE);
  // Alerts select failures, and reads without those that wait.
  for (const [method, route] of [
    ["other", "other"],
    ["GET", "other"],
    ["GET", "/api/chat-sync"],
  ]) {
    expect(text).toContain(
      `soulhub_http_request_seconds_count{method="${method}",route="${route}",status="5xx"}`,
    );
  }
});

it("the hubs of a process share its metrics, whose observers would keep a closed hub in memory", () => {
  const read = (name: string) =>
    createMetrics(() => ({ rooms: 0, sessions: 0, replies: 0 })).registry.getSingleMetric(name);
  const [gc, chats] = ["nodejs_gc_duration_seconds", "soulhub_chats_total"] as const;
  expect(read(gc)).toBeDefined();
  expect(read(gc)).toBe(read(gc));
  expect(read(chats)).not.toBe(read(chats));
});
