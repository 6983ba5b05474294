import { execFile } from "node:child_process";
import path from "node:path";
import { makeNewer, testDatabases } from "@soul-hub/api/testing";
import { expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

it.each(testDatabases())(
  "a server older than its schema exits with 1 and names both versions, on %s",
  async (kind) => {
    await using place = await makePlace(kind);
    const before = await startServerProcess(place.env);
    expect(await before.stop()).toBe(0);
    const database = await place.open();
    await makeNewer(database, 100, 99);
    await database.close();

    const main = path.join(import.meta.dirname, "main.ts");
    const outcome = await new Promise((resolve) => {
      const env = { PATH: process.env.PATH, PORT: "0", ...place.env };
      execFile(process.execPath, [main], { env, timeout: 55_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^Soul Hub can't start\.\nDATA\w+: \S+ contains a database of a newer release\. The database has schema 100, which needs an app of schema 99 or later\. This app has schema \d+\. Start the newer release, or restore (?:the backup in BACKUP_DIR \(by default DATA_DIR\/backups\)|a backup from before the upgrade)\. .+ \(SCHEMA_TOO_NEW\)\n$/,
      ),
    });
  },
);
