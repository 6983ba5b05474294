import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectDatabase } from "@soul-hub/api";
import { EnvironmentError, lockDataDirectory, readOrMakeSecrets } from "@soul-hub/api/operator";
import { copyEmbeddedTemplate, makeUnreleased } from "@soul-hub/api/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startServerProcess } from "../testing/server-process.fixture.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-data-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(place, { recursive: true, force: true });
});

/** Starts a process that listens on a Unix socket, and kills it. The socket's file remains. */
const leaveStaleLock = (file: string) =>
  new Promise<void>((resolve) => {
    const script = `require("net").createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"))`;
    execFile(process.execPath, ["-e", script], () => resolve());
  });

describe("the lock of a data directory", () => {
  it("belongs to one process until its release", async () => {
    const first = await lockDataDirectory(place);
    const refused = lockDataDirectory(place);
    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(
      /in use by another Soul Hub process\. .* another DATA_DIR or a DATABASE_URL\.$/,
    );
    await first[Symbol.asyncDispose]();
    const second = await lockDataDirectory(place);
    await second[Symbol.asyncDispose]();
  });

  it.runIf(process.platform === "linux")(
    "holds after another process removed its file",
    async () => {
      const first = await lockDataDirectory(place);
      await rm(path.join(place, "hub.lock"));
      await expect(lockDataDirectory(place)).rejects.toThrow("in use");
      await first[Symbol.asyncDispose]();
    },
  );

  it("holds for a long path with any TMPDIR", async () => {
    const long = path.join(place, "long".repeat(30));
    const first = await lockDataDirectory(long);
    vi.stubEnv("TMPDIR", place);
    await expect(lockDataDirectory(long)).rejects.toThrow("in use");
    await first[Symbol.asyncDispose]();
  });

  it("is taken over from a killed process and leaves no file behind", async () => {
    await leaveStaleLock(path.join(place, "hub.lock"));
    expect(await readdir(place)).toEqual(["hub.lock"]);
    const lock = await lockDataDirectory(place);
    expect(await readdir(place)).toEqual(["hub.lock"]);
    await lock[Symbol.asyncDispose]();
    expect(await readdir(place)).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "goes to one of many processes that find it stale at once",
    async () => {
      await leaveStaleLock(path.join(place, "hub.lock"));
      const tries = Array.from({ length: 8 }, () => lockDataDirectory(place));
      const results = await Promise.allSettled(tries);
      const taken = results.filter((result) => result.status === "fulfilled");
      expect(taken).toHaveLength(1);
      await taken[0]?.value[Symbol.asyncDispose]();
    },
  );

  it("is respected where only its file is visible, as in another container", async () => {
    const file = path.join(place, "hub.lock");
    const other = createServer().listen(file);
    await expect(lockDataDirectory(place)).rejects.toThrow("in use");
    await new Promise<void>((resolve) => connect(file, resolve).unref());
    other.close();
  });
});

describe("a data directory from before the first release", () => {
  it("is refused at start with one line that names the remedy", async () => {
    const directory = path.join(place, "database");
    await copyEmbeddedTemplate(directory);
    const database = await connectDatabase({ directory });
    await makeUnreleased(database);
    await database.close();
    const env = {
      DATA_DIR: place,
      MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
      ADMIN_TOKEN: "a-token-of-the-tests",
    };
    await expect(startServerProcess(env)).rejects.toThrow(
      /Soul Hub can't start\.\nDATA_DIR: \S+ contains a database from before the first release, which can't be upgraded\. Move it away, or name an empty one \(UNRELEASED_SCHEMA\)\n$/,
    );
  });
});

describe("the embedded hub's secrets", () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const token = "a-token-of-the-tests";

  it("are created once", async () => {
    const made = await readOrMakeSecrets(place);
    expect(made.masterKeys[0]?.key).toHaveLength(32);
    await mkdir(path.join(place, "database"));
    await writeFile(path.join(place, "database", "PG_VERSION"), "17");
    expect(await readOrMakeSecrets(place)).toEqual(made);
  });

  it("accept several keys, or the single key of older hubs", async () => {
    const file = path.join(place, "secrets.json");
    const other = Buffer.alloc(32, 8).toString("base64");
    const idsOf = async (secrets: object) => {
      await writeFile(file, JSON.stringify({ ...secrets, admin_token: token }));
      const { masterKeys, adminToken } = await readOrMakeSecrets(place);
      expect(adminToken).toBe(token);
      return masterKeys.map((one) => `${one.id}:${Buffer.from(one.key).toString("base64")}`);
    };
    expect(await idsOf({ master_keys: `k2:${other},k1:${key}` })).toEqual([
      `k2:${other}`,
      `k1:${key}`,
    ]);
    expect(await idsOf({ master_key: key })).toEqual([`k1:${key}`]);
    for (const refused of [`k1:${other},k1:${key}`, `k2:${key},k1:${key}`]) {
      await expect(idsOf({ master_keys: refused })).rejects.toThrow("is damaged");
    }
  });

  it.each([
    ["no JSON", `"${token}`],
    ["no object", "null"],
    ["a short key", JSON.stringify({ master_key: "c2hvcnQ=", admin_token: token })],
    ["a key of 33 bytes", JSON.stringify({ master_key: `AAAA${key}`, admin_token: token })],
    ["a short token", JSON.stringify({ master_key: key, admin_token: "a-token-of-the" })],
    ["a token that is none", JSON.stringify({ master_key: key, admin_token: 1 })],
  ])("are refused without being printed when damaged: %s", async (_, text) => {
    const file = path.join(place, "secrets.json");
    await writeFile(file, text);
    const error = await readOrMakeSecrets(place).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(EnvironmentError);
    const { message, cause } = error as Error;
    expect(message).toMatch(`${file} is damaged`);
    expect(cause).toBeUndefined();
    for (const secret of ["a-token", key, "c2hvcnQ"]) expect(message).not.toContain(secret);
  });

  it("are not replaced while a database needs the old ones", async () => {
    const database = path.join(place, "database");
    await mkdir(database);
    await writeFile(path.join(database, "PG_VERSION"), "17");
    const refused = readOrMakeSecrets(place);
    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(
      /secrets\.json is missing, .* can't be shown\. .*To start anew/,
    );
    expect(await readdir(place)).toEqual(["database"]);
    await rm(path.join(database, "PG_VERSION"));
    expect((await readOrMakeSecrets(place)).masterKeys).toHaveLength(1);
  });

  it("are not written where the environment has them", async () => {
    await using server = await startServerProcess({
      DATA_DIR: place,
      MASTER_KEYS: `k1:${key}`,
      ADMIN_TOKEN: token,
    });
    expect(await readdir(place)).not.toContain("secrets.json");
    expect(await server.stop()).toBe(0);
  });
});
