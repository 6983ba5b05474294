import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { blame, EnvironmentError, readEnvironment } from "./env.ts";

const key = Buffer.alloc(32, 7).toString("base64");

describe("the environment", () => {
  it.each(["REDIS_URL", "BYOK_ALLOWED_HOSTS"])("refuses %s, which is not built yet", (name) => {
    expect(() => readEnvironment({ [name]: "redis://127.0.0.1" })).toThrow(
      new EnvironmentError(`${name}: is not built yet, so it can't be set`),
    );
    // Compose files and CI can't leave a variable out.
    expect(() => readEnvironment({ [name]: "" })).not.toThrow();
  });

  it("refuses two master keys with one id", () => {
    expect(() => readEnvironment({ MASTER_KEYS: `k1:${key},k1:${key}` })).toThrow(
      /^MASTER_KEYS: has two keys with one id\./,
    );
    const { MASTER_KEYS } = readEnvironment({ MASTER_KEYS: `k1:${key},k0:${key}` });
    expect(MASTER_KEYS?.map(({ id }) => id)).toEqual(["k1", "k0"]);
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
