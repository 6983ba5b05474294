import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { embeddedTarget } from "../archive/restore-target.ts";
import { verifyBackup } from "../operator/verify-backup.ts";
import { writeWhole } from "../operator/write-whole.ts";
import { connectDatabase } from "../tables/connect.ts";
import { copyEmbeddedTemplate } from "../testing/test-database.ts";
import { startArchiveJob, wholeArchive } from "./archive-job.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";
import { backUpBeforeMigration } from "./backup-files.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-backups-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

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
