import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { ClockWatch } from "./clock-watch.ts";

const WARNING = "this server's clock differs from the database's";

/** Decision 0035. */
describe.each(testDatabases())("a clock that differs from the database's (on %s)", (database) => {
  it("is a metric, and one warning until it agrees again", async () => {
    await using hub = await startTestHub({ database });
    const { db } = hub.hub.database;
    const registry = new Registry();
    const clock = new ClockWatch(registry);
    // The hub's own watch writes to the hub's log.
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const warnings = () => lines.filter((line) => line.includes(WARNING)).length;
    const skew = async () =>
      Number(/^soulhub_clock_skew_seconds (.*)$/m.exec(await registry.metrics())?.[1]);
    const check = () => clock.check(db, log);

    await check();
    expect([await skew(), warnings()]).toEqual([0, 0]);
    await hub.moveClock("1 hour");
    await check();
    await check();
    expect(Math.round((await skew()) / 60)).toBe(-60);
    expect(warnings()).toBe(1);
    await hub.moveClock("0");
    await check();
    expect(await skew()).toBe(0);
    await hub.moveClock("-1 hour");
    await check();
    expect(Math.round((await skew()) / 60)).toBe(60);
    expect(warnings()).toBe(2);
  });

  it("is compared on PostgreSQL only, since the embedded database has the server's clock", async () => {
    await using hub = await startTestHub({ database });
    const text = await hub.hub.metrics.registry.metrics();
    expect(text.includes("soulhub_clock_skew_seconds")).toBe(database === "postgresql");
  });
});
