import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataDirectory } from "./directory-lock.ts";
import { restoreBackup } from "./restore-backup.ts";

const RELEASE_1 = path.join(import.meta.dirname, "../db/archives/0.1.0-schema-1.hub");

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-modes-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const modeOf = async (name: string) =>
  ((await stat(path.join(place, name))).mode & 0o777).toString(8);

describe.skipIf(process.platform === "win32")("databases and secrets in a data directory", () => {
  it("are the owner's alone after a restore into a directory that existed", async () => {
    await chmod(place, 0o755);
    const options = { masterKeys: undefined, replace: false, loseSecrets: true };
    await restoreBackup({ file: RELEASE_1, dataDir: place, databaseUrl: undefined, ...options });
    expect([await modeOf("database"), await modeOf("secrets.json")]).toEqual(["700", "600"]);
    // The directory itself is the operator's.
    expect(await modeOf(".")).toBe("755");
  });

  it("become the owner's alone at the next start, former ones included", async () => {
    for (const name of ["database", "database.before-20270131-120000", "backups"]) {
      await mkdir(path.join(place, name));
      await chmod(path.join(place, name), 0o755);
    }
    await writeFile(path.join(place, "secrets.json"), "{}");
    await chmod(path.join(place, "secrets.json"), 0o644);
    await using _ = await lockDataDirectory(place);
    expect(await modeOf("database")).toBe("700");
    expect(await modeOf("database.before-20270131-120000")).toBe("700");
    expect(await modeOf("secrets.json")).toBe("600");
    expect(await modeOf("backups")).toBe("755");
  });
});
