import { mkdtemp, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADMIN_TOKEN, startTestHub } from "../testing/test-hub.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";
import { createBackupSchedule } from "./backup-schedule.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-backups-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };

describe("the schedule of an embedded hub's backups", () => {
  const startSchedule = async () => {
    const { hub } = await startBackedUpHub("pglite", place);
    const directory = path.join(place, "backups");
    /** Creates the schedule as a restarted hub does. */
    const restart = () => {
      const registry = new Registry();
      const ports = { backups: hub.hub.backups, registry, log: hub.hub.log };
      const schedule = createBackupSchedule(ports, { directory, everyHours: 24, keep: 2 });
      return { registry, schedule };
    };
    const files = async () =>
      (await readdir(directory)).filter((name) => name.endsWith(".hub")).sort();
    return { hub, directory, restart, files, ...restart() };
  };
  /** Makes every file of a directory older. */
  const age = async (directory: string, hours: number) => {
    for (const name of await readdir(directory)) {
      const file = path.join(directory, name);
      const then = new Date((await stat(file)).mtimeMs - hours * 3_600_000);
      await utimes(file, then, then);
    }
  };

  it("writes a backup when the newest one is too old, keeps the newest, and verifies one weekly", async () => {
    const { hub, directory, registry, schedule, files } = await startSchedule();
    await using _ = hub;
    await schedule.run();
    const [first = ""] = await files();
    expect((await stat(path.join(directory, first))).mode & 0o777).toBe(0o600);
    const verified = async () =>
      JSON.parse(await readFile(path.join(directory, "verified.json"), "utf8"));
    expect((await verified()).file).toBe(first);
    expect(await registry.metrics()).toMatch(/soulhub_backup_verified_timestamp_seconds \d{10}/);

    await age(directory, 23);
    await schedule.run();
    expect(await files()).toEqual([first]);

    for (let n = 0; n < 2; n++) {
      await age(directory, 25);
      // The names of backups contain their second.
      vi.setSystemTime(Date.now() + 5_000);
      await schedule.run();
    }
    vi.useRealTimers();
    const kept = await files();
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(first);
    // The first verification was less than a week ago.
    expect((await verified()).file).toBe(first);
  });

  it("waits for the operator's own backup, and writes its own within a minute after it", async () => {
    const { hub, schedule, files } = await startSchedule();
    await using _ = hub;
    const own = await hub.hub.backups.open(true);
    await schedule.run();
    expect(await files()).toEqual([]);
    await buffer(own);
    await schedule.run();
    expect(await files()).toHaveLength(1);
  });

  it("reports the times of former backups although the next one waits", async () => {
    const { hub, directory, schedule, restart } = await startSchedule();
    await using _ = hub;
    await schedule.run();
    await age(directory, 25);
    const own = await hub.hub.backups.open(true);
    const next = restart();
    await next.schedule.run();
    await buffer(own);
    const text = await next.registry.metrics();
    expect(text).toMatch(/soulhub_backup_timestamp_seconds \d{10}/);
    expect(text).toMatch(/soulhub_backup_verified_timestamp_seconds \d{10}/);
  });

  it.each([
    [24, true],
    [0, false],
  ])("exists with BACKUP_EVERY_HOURS=%i: %s", async (everyHours, exists) => {
    const backupSchedule = { directory: path.join(place, "backups"), everyHours, keep: 2 };
    await using hub = await startTestHub({ backupSchedule });
    const { text } = await hub.guest().get("/metrics", operator);
    expect(text.includes("soulhub_backup_timestamp_seconds")).toBe(exists);
  });
});
