import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { embeddedTarget } from "../archive/restore-target.ts";
import { verifyBackup } from "../operator/verify-backup.ts";
import { writeWhole } from "../operator/write-whole.ts";
import { connectDatabase } from "../tables/connect.ts";
import { createActor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { copyEmbeddedTemplate, testDatabases } from "../testing/test-database.ts";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "../testing/test-hub.ts";
import { startArchiveJob, wholeArchive } from "./archive-job.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";
import { backUpBeforeMigration } from "./backup-files.ts";
import { createBackupSchedule } from "./backup-schedule.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-backups-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const operatorOf = ({ url }: TestHub) =>
  createActor({ name: "the operator", apiKey: ADMIN_TOKEN, baseUrl: () => url });
const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** Decision 0028. */
describe.each(testDatabases())("GET /api/admin/backup (on %s)", (kind) => {
  it("streams a backup to the operator", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    await hub.member("ada");
    const response = await fetch(`${hub.url}/api/admin/backup`, { headers: operator });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/zstd",
      "backup-keys": kind === "pglite" ? "included" : "none",
      "content-disposition": expect.stringMatching(/^attachment; filename="soul-hub-[\d-]+\.hub"$/),
    });
    const file = path.join(place, "hub.hub");
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const { manifest, rows } = await verifyBackup(file);
    expect(rows).toBeGreaterThan(0);
    expect(manifest).toMatchObject({ database: kind, keys: [{ id: "test" }] });

    const { body, headers } = await fetch(`${hub.url}/api/admin/backup?keys=without`, {
      headers: operator,
    });
    expect(headers.get("backup-keys")).toBe("none");
    await body?.cancel();
  });

  it("answers 409 while another backup runs, and begins the next one after it", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    const first = await hub.hub.backups.open(true);
    const second = await operatorOf(hub).get("/api/admin/backup");
    expect([second.status, second.body.error]).toEqual([409, "backup_running"]);
    expect((await buffer(first)).length).toBeGreaterThan(0);
    expect((await operatorOf(hub).get("/api/admin/backup")).status).toBe(200);
  });

  it("allows the next backup after its reader disconnects", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    const abort = new AbortController();
    const response = await fetch(`${hub.url}/api/admin/backup`, {
      headers: operator,
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    abort.abort();
    await eventually(async () => {
      const next = await fetch(`${hub.url}/api/admin/backup`, { headers: operator });
      expect(next.status).toBe(200);
      await next.arrayBuffer();
    });
    // Nothing of the copies remains.
    await eventually(async () => {
      expect((await readdir(place)).filter((name) => name.includes("backup"))).toEqual([]);
    });
  });
});

describe("a backup of an embedded hub", () => {
  it("is whole if its process ends before its reader begins", async () => {
    const directory = path.join(place, "database");
    await copyEmbeddedTemplate(directory);
    const context = { app: "0.1.0", keys: [] };
    const job = startArchiveJob({ task: "write", source: { directory }, context });
    await once(job.process, "close");
    const file = path.join(place, "late.hub");
    await writeWhole(file, wholeArchive(job));
    expect((await verifyBackup(file)).manifest.app).toBe("0.1.0");
  });

  it("copies the database while its upkeep is paused", async () => {
    const { hub } = await startBackedUpHub("pglite", place);
    await using _ = hub;
    const { upkeep } = hub.hub;
    if (!upkeep) throw new Error("An embedded hub has an upkeep.");
    const isCopied = async () => (await readdir(place)).includes("database.backup");
    const paused = upkeep.paused.bind(upkeep);
    const seen: boolean[] = [];
    vi.spyOn(upkeep, "paused").mockImplementation((work) =>
      paused(async () => {
        seen.push(await isCopied());
        const result = await work();
        seen.push(await isCopied());
        return result;
      }),
    );
    await buffer(await hub.hub.backups.open(true));
    // The copy is made between the begin and the end of the pause.
    expect(seen).toEqual([false, true]);
  });
});

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

describe("a migration of an embedded database", () => {
  it("begins with a backup, of which the newest three are kept", async () => {
    const directory = path.join(place, "database");
    const backups = path.join(place, "backups");
    const old = await embeddedTarget({ directory, sync: false });
    await old.migrateTo(1);
    await old.port.query("insert into accounts (username, username_key) values ('ada', 'ada')");
    await old[Symbol.asyncDispose]();
    await mkdir(backups);
    for (const nth of [1, 2, 3, 4]) {
      const file = path.join(backups, `before-migration-2026010${nth}-000000.hub`);
      await writeFile(file, "");
      await utimes(file, nth, nth);
    }

    let calls = 0;
    const open = () =>
      connectDatabase({
        directory,
        sync: false,
        beforeMigration: async () => {
          calls++;
          await backUpBeforeMigration({
            database: directory,
            backups,
            secretsFile: null,
            masterKeys: [{ id: "k1", key: new Uint8Array(32) }],
            version: "0.1.0",
          });
        },
      });
    await (await open()).close();
    await (await open()).close();
    expect(calls).toBe(1);
    const kept = (await readdir(backups)).sort();
    expect(kept).toEqual([
      "before-migration-20260103-000000.hub",
      "before-migration-20260104-000000.hub",
      expect.stringMatching(/^before-migration-\d{8}-\d{6}\.hub$/),
    ]);
    const { manifest, rows } = await verifyBackup(path.join(backups, kept[2] ?? ""));
    expect([manifest.schema, rows]).toEqual([1, 1]);
  });
});
