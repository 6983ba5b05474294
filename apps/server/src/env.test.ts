import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { blame, EnvironmentError, readEnvironment } from "./env.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const otherKey = Buffer.alloc(32, 8).toString("base64");

describe("the environment", () => {
  it("takes an empty variable as one that isn't set: compose files and CI can't leave it out", () => {
    expect(readEnvironment({ REDIS_URL: "" }).REDIS_URL).toBeUndefined();
  });

  it("refuses two master keys with one id, and one key under two", () => {
    expect(() => readEnvironment({ MASTER_KEYS: `k1:${key},k1:${key}` })).toThrow(
      /^MASTER_KEYS: has two keys with one id\./,
    );
    expect(() => readEnvironment({ MASTER_KEYS: `k1:${key},k0:${key}` })).toThrow(
      /^MASTER_KEYS: has the same key under two ids\./,
    );
    const { MASTER_KEYS } = readEnvironment({ MASTER_KEYS: `k1:${key},k0:${otherKey}` });
    expect(MASTER_KEYS?.map(({ id }) => id)).toEqual(["k1", "k0"]);
  });

  it("gives every route limits of its own, and refuses what is none", () => {
    const { models } = readEnvironment({
      MODEL_TIMEOUT_MS: "30000",
      VISION_MODEL_TIMEOUT_MS: "90000",
      TEXT_MODEL_MAX_OUTPUT_TOKENS: "800",
    });
    expect(models.timeoutMs).toBe(30_000);
    expect(models.limits?.vision).toEqual({ timeoutMs: 90_000 });
    expect(models.limits?.text).toEqual({ maxOutputTokens: 800 });
    for (const route of ["TEXT", "VISION", "PREMIUM", "SUMMARY"]) {
      for (const [limit, wrong] of [
        ["TIMEOUT_MS", "soon"],
        ["TIMEOUT_MS", "999"],
        ["TIMEOUT_MS", "600001"],
        ["MAX_OUTPUT_TOKENS", "0"],
        ["MAX_OUTPUT_TOKENS", "1.5"],
      ]) {
        const name = `${route}_MODEL_${limit}`;
        expect(() => readEnvironment({ [name]: wrong })).toThrow(
          new RegExp(`^${name}: .+\\. Example: ${name}=\\d+$`),
        );
      }
    }
  });

  it("reads the hosts that people may name as their provider, and refuses what is no host", () => {
    const { BYOK_ALLOWED_HOSTS } = readEnvironment({
      BYOK_ALLOWED_HOSTS: "Localhost:11434, [::1]:8080,models.example.org:443",
    });
    expect(BYOK_ALLOWED_HOSTS).toEqual(["localhost:11434", "[::1]:8080", "models.example.org:443"]);
    expect(readEnvironment({}).BYOK_ALLOWED_HOSTS).toEqual([]);
    for (const wrong of ["localhost", "http://localhost:1", "a:1,b", "*:443"]) {
      expect(() => readEnvironment({ BYOK_ALLOWED_HOSTS: wrong })).toThrow(
        /^BYOK_ALLOWED_HOSTS: \S+ is not host:port\. Example: BYOK_ALLOWED_HOSTS=localhost:11434,/,
      );
    }
  });

  it("reads the tiers from TIERS_FILE, all of them or none", async () => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-tiers-"));
    const TIERS_FILE = path.join(place, "tiers.json");
    const { tiers } = readEnvironment({});
    await writeFile(
      TIERS_FILE,
      JSON.stringify({ ...tiers, vip: { ...tiers.vip, daily_limit: 7 } }),
    );
    expect(readEnvironment({ TIERS_FILE }).tiers).toEqual({
      ...tiers,
      vip: { ...tiers.vip, daily_limit: 7 },
    });
    for (const wrong of ["{", "{}", JSON.stringify({ ...tiers, gold: tiers.pro })]) {
      await writeFile(TIERS_FILE, wrong);
      expect(() => readEnvironment({ TIERS_FILE })).toThrow(/^TIERS_FILE: .+ can't be used: /);
    }
    await rm(place, { recursive: true });
    expect(() => readEnvironment({ TIERS_FILE })).toThrow(/^TIERS_FILE: .+ENOENT/);
  });

  it("is blamed for what it decides, and for nothing else", async () => {
    const fail = (code: string) => Promise.reject(Object.assign(new Error("unlike"), { code }));
    const setting = { DATA_DIR: "/data" };
    for (const code of ["EACCES", "EPERM", "EROFS"]) {
      await expect(blame(setting, fail(code))).rejects.toThrow(
        new EnvironmentError(`DATA_DIR: /data can't be read and written by this user (${code})`),
      );
    }
    await expect(blame(setting, fail("EIO"))).rejects.toThrow("unlike");
    await expect(blame(setting, Promise.resolve(1))).resolves.toBe(1);
  });
});

describe("a server that a setting keeps from starting says which, in one line", {
  timeout: 60_000,
}, () => {
  let place: string;
  const servers: Server[] = [];
  beforeAll(async () => {
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-env-"));
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  afterAll(() => rm(place, { recursive: true, force: true }));

  /** Answers what it wrote and how it ended. */
  const start = (env: Record<string, string>) =>
    new Promise((resolve) => {
      const main = path.join(import.meta.dirname, "main.ts");
      const all = { PORT: "0", STARTER_SOULS: "off", DATA_DIR: path.join(place, "data"), ...env };
      execFile(process.execPath, [main], { env: all, timeout: 55_000 }, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
  const refusal = (line: string) => ({
    code: 1,
    stderr: `Soul Hub can't start.\n${line}\n`,
  });

  async function listen(server: Server) {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  /** PostgreSQL's way to refuse whoever connects. */
  const refusingPostgres = (code: string) =>
    createServer((socket) => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused\0\0`);
      const head = Buffer.from("E....");
      head.writeInt32BE(fields.length + 4, 1);
      socket.on("error", () => {}).once("data", () => socket.end(Buffer.concat([head, fields])));
    });
  const database = (host: string) => ({
    DATABASE_URL: `postgres://hub:pass-word@${host}/hub`,
    MASTER_KEYS: `k1:${key}`,
    ADMIN_TOKEN: "admin-token-of-the-tests",
  });

  it("PORT, in use", async () => {
    const PORT = String(await listen(createServer()));
    expect(await start({ PORT })).toEqual(
      refusal(`PORT: ${PORT} is in use by another program (EADDRINUSE)`),
    );
  });

  it.each([
    ["no-such-host.invalid", "can't be found: no such host"],
    // Kept for documentation: no machine has it.
    ["192.0.2.1", "is not an address of this machine"],
  ])("HOST, %s", async (HOST, fault) => {
    expect(await start({ HOST })).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^Soul Hub can't start\\.\nHOST: ${HOST} ${fault} \\(E\\w+\\)\n$`),
      ),
    });
  });

  it.each([
    ["3D000", "has no such database"],
    ["28P01", "refuses this user or password"],
  ])("DATABASE_URL, refused with %s", async (code, fault) => {
    const host = `127.0.0.1:${await listen(refusingPostgres(code))}`;
    expect(await start(database(host))).toEqual(
      refusal(`DATABASE_URL: ${host} ${fault} (${code})`),
    );
  });

  it("DATABASE_URL, where nobody listens or no host is", async () => {
    const closed = createServer();
    const host = `127.0.0.1:${await listen(closed)}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await start(database(host))).toEqual(
      refusal(`DATABASE_URL: ${host} does not answer. Is PostgreSQL running there? (ECONNREFUSED)`),
    );
    expect(await start(database("no-such-host.invalid"))).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^Soul Hub can't start\.\nDATABASE_URL: no-such-host\.invalid can't be found: no such host \(E\w+\)\n$/,
      ),
    });
  });

  it("REDIS_URL, of another kind, where nobody listens, no host is, or no Redis", async () => {
    expect(await start({ REDIS_URL: "http://localhost:6379" })).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^Soul Hub .*\nREDIS_URL: .*Example: REDIS_URL=redis:\/\/.*\n$/,
      ),
    });
    const closed = createServer();
    const host = `127.0.0.1:${await listen(closed)}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await start({ REDIS_URL: `redis://:pass-word@${host}` })).toEqual(
      refusal(`REDIS_URL: ${host} does not answer. Is Redis running there? (ECONNREFUSED)`),
    );
    expect(await start({ REDIS_URL: "redis://no-such-host.invalid" })).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^Soul Hub can't start\.\nREDIS_URL: no-such-host\.invalid can't be found: no such host \(E\w+\)\n$/,
      ),
    });
    const web = createServer((socket) => {
      socket
        .on("error", () => {})
        .on("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    const other = `127.0.0.1:${await listen(web)}`;
    expect(await start({ REDIS_URL: `redis://${other}` })).toEqual(
      refusal(`REDIS_URL: ${other} does not answer as Redis does (NOT_REDIS)`),
    );
  });

  it("DATA_DIR, a file or in one", async () => {
    const file = path.join(place, "file");
    await writeFile(file, "");
    const fault = "is not a directory, or lies in something that is none";
    expect(await start({ DATA_DIR: file })).toEqual(refusal(`DATA_DIR: ${file} ${fault} (EEXIST)`));
    const inside = path.join(file, "data");
    expect(await start({ DATA_DIR: inside })).toEqual(
      refusal(`DATA_DIR: ${inside} ${fault} (ENOTDIR)`),
    );
  });
});
