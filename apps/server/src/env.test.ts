import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { blame, EnvironmentError } from "@soul-hub/api/operator";
import { fillDataDirectory } from "@soul-hub/api/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readEnvironment } from "./env.ts";
import { startServer } from "./server.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const otherKey = Buffer.alloc(32, 8).toString("base64");

describe("the environment", () => {
  it("treats an empty variable as unset", () => {
    expect(readEnvironment({ REDIS_URL: "" }).REDIS_URL).toBeUndefined();
  });

  it("refuses a BASE_URL with a path, because a hub needs a host of its own", () => {
    const read = (BASE_URL: string) => readEnvironment({ BASE_URL }).BASE_URL;
    expect(read("https://hub.example.org/")).toBe("https://hub.example.org");
    expect(read("http://localhost:3000")).toBe("http://localhost:3000");
    for (const wrong of ["/hub", "/hub/", "/?at=hub", "/#hub"]) {
      expect(() => read(`https://example.org${wrong}`)).toThrow(
        /^BASE_URL: must have no path, since a hub needs a host of its own\. Example: BASE_URL=https:/,
      );
    }
  });

  it("refuses two master keys with one id, and one key with two ids", () => {
    expect(() => readEnvironment({ MASTER_KEYS: `k1:${key},k1:${key}` })).toThrow(
      /^MASTER_KEYS: has two keys with one id\./,
    );
    expect(() => readEnvironment({ MASTER_KEYS: `k1:${key},k0:${key}` })).toThrow(
      /^MASTER_KEYS: has the same key under two ids\./,
    );
    const { MASTER_KEYS } = readEnvironment({ MASTER_KEYS: `k1:${key},k0:${otherKey}` });
    expect(MASTER_KEYS?.map(({ id }) => id)).toEqual(["k1", "k0"]);
  });

  it("reads the limits of each model route, and refuses other values", () => {
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

  it("reads WALLETS as names and URLs, and refuses other values", () => {
    const read = (WALLETS?: string) => readEnvironment({ WALLETS }).WALLETS;
    expect(read()).toEqual([
      { name: "MyNearWallet", url: "https://app.mynearwallet.com/sign-message" },
    ]);
    expect(read("My own https://a.example/sign?x=1,B http://localhost:5000/")).toEqual([
      { name: "My own", url: "https://a.example/sign?x=1" },
      { name: "B", url: "http://localhost:5000/" },
    ]);
    expect(read("off")).toEqual([]);
    for (const wrong of ["https://a.example/", "A", "A javascript:alert(1)", "A a.example"]) {
      expect(() => read(wrong)).toThrow(/^WALLETS: .+ is not a name and a URL\. Example: /);
    }
  });

  it("reads BYOK_ALLOWED_HOSTS, and refuses values other than host:port", () => {
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

  it("reads SMTP_URL with its sender, and needs it where addresses have to be verified", () => {
    const MAIL_FROM = "Soul Hub <hub@example.org>";
    expect(readEnvironment({ SMTP_URL: "smtp://mail:25", MAIL_FROM }).MAIL_FROM).toBe(MAIL_FROM);
    expect(readEnvironment({}).EMAIL_VERIFICATION).toBe("optional");
    for (const [wrong, name] of [
      [{ SMTP_URL: "smtp://mail" }, "MAIL_FROM"],
      [{ SMTP_URL: "smtp://mail", MAIL_FROM: "Soul Hub" }, "MAIL_FROM"],
      [{ SMTP_URL: "smtp://mail", MAIL_FROM: "a <a@b.org>\r\nBcc: c@b.org" }, "MAIL_FROM"],
      [{ SMTP_URL: "https://mail", MAIL_FROM }, "SMTP_URL"],
      [{ SMTP_URL: "smtp://mail?tls.rejectUnauthorized=false", MAIL_FROM }, "SMTP_URL"],
      [{ EMAIL_VERIFICATION: "required" }, "SMTP_URL"],
      [{ EMAIL_VERIFICATION: "always" }, "EMAIL_VERIFICATION"],
    ] as const) {
      expect(() => readEnvironment(wrong)).toThrow(new RegExp(`^${name}: .+ Example: ${name}=`));
    }
  });

  it("reads TIERS_FILE, and refuses it if a tier is missing or unknown", async () => {
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

  it("requires both URLs of a database with a pooler before it", () => {
    const DATABASE_URL = "postgres://hub@pooler:6432/hub";
    for (const DATABASE_POOLER of ["transaction", "prepared"]) {
      expect(() => readEnvironment({ DATABASE_POOLER })).toThrow(
        `DATABASE_URL: is required with DATABASE_POOLER=${DATABASE_POOLER}. Example: `,
      );
      const env = {
        DATABASE_POOLER,
        DATABASE_URL,
        MASTER_KEYS: `k1:${key}`,
        ADMIN_TOKEN: "admin-token-of-the-tests",
      };
      expect(() => readEnvironment(env)).toThrow(
        `DATABASE_DIRECT_URL: is required with DATABASE_POOLER=${DATABASE_POOLER}. Example: `,
      );
    }
    expect(readEnvironment({}).DATABASE_POOLER).toBe("off");
    expect(() => readEnvironment({ DATABASE_POOLER: "session" })).toThrow(
      /^DATABASE_POOLER: .+\. Example: DATABASE_POOLER=transaction$/,
    );
  });

  it("refuses parameters of a database URL that override the hub's settings", () => {
    const env = { MASTER_KEYS: `k1:${key}`, ADMIN_TOKEN: "admin-token-of-the-tests" };
    const url = "postgres://hub@db:5432/hub";
    for (const name of ["DATABASE_URL", "DATABASE_DIRECT_URL"] as const) {
      for (const parameter of ["options", "application_name", "statement_timeout", "schema"]) {
        expect(() => readEnvironment({ ...env, [name]: `${url}?${parameter}=1` })).toThrow(
          `${name}: may not have the parameter ${parameter}, which the hub sets itself. Example: `,
        );
      }
      const secure = `${url}?sslmode=verify-full&sslrootcert=/ca.pem`;
      expect(readEnvironment({ ...env, [name]: secure })[name]).toBe(secure);
    }
  });

  it("explains the error codes that its variables cause, and no others", async () => {
    const fail = (code: string) => Promise.reject(Object.assign(new Error("unlike"), { code }));
    const setting = { DATA_DIR: "/data" };
    for (const code of ["EACCES", "EPERM", "EROFS"]) {
      await expect(blame(setting, fail(code))).rejects.toThrow(
        new EnvironmentError(`DATA_DIR: /data can't be read and written by this user (${code})`),
      );
    }
    const database = { DATABASE_URL: "pooler:6432", DATABASE_DIRECT_URL: "db:5432" };
    await expect(blame(database, fail("POOLED_SETTINGS"))).rejects.toThrow(
      /^DATABASE_URL: pooler:6432 .+ Send RECONNECT to the pooler or restart it, then start /,
    );
    await expect(blame(database, fail("42501"))).rejects.toThrow(
      /^DATABASE_DIRECT_URL: db:5432 may /,
    );
    // PGlite's file system throws objects that are not instances of Error.
    await expect(blame(setting, Promise.reject({ errno: 51 }))).rejects.toThrow(
      new EnvironmentError("DATA_DIR: /data has no disk space left (ENOSPC)"),
    );
    await expect(blame(setting, fail("53100"))).rejects.toThrow(/has no disk space left/);
    await expect(blame(setting, fail("NOT_FLUSHED"))).rejects.toThrow(
      /\/data would not survive a power cut: .* To start without protection from power cuts, set DATA_SYNC=off/,
    );
    await expect(blame(setting, fail("EIO"))).rejects.toThrow("unlike");
    await expect(blame(setting, Promise.resolve(1))).resolves.toBe(1);
  });
});

describe("a server that cannot start names the variable", () => {
  let place: string;
  const servers: Server[] = [];
  beforeAll(async () => {
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-env-"));
    await mkdir(defaults().DATA_DIR);
    await fillDataDirectory(defaults().DATA_DIR);
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  afterAll(() => rm(place, { recursive: true, force: true }));

  const defaults = () => ({
    PORT: "0",
    STARTER_SOULS: "off",
    LOG_LEVEL: "silent",
    TEXT_MODEL: "offline",
    DATA_DIR: path.join(place, "data"),
    DATA_SYNC: "off",
  });
  /** Returns the message of the error with which the server's start fails. */
  const refusalOf = async (env: Record<string, string>): Promise<string> => {
    const start = async () => startServer(readEnvironment({ ...defaults(), ...env }), "0.0.0");
    const error = await start().then(
      () => "no error",
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof EnvironmentError)) throw error;
    return error.message;
  };

  it("on stderr, and exits with 1", async () => {
    const main = path.join(import.meta.dirname, "main.ts");
    const outcome = await new Promise((resolve) => {
      const env = { ...defaults(), PORT: "http" };
      execFile(process.execPath, [main], { env, timeout: 55_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Soul Hub can't start\.\nPORT: .+\. Example: PORT=3000\n$/),
    });
  });

  async function listen(server: Server) {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  /** A server that answers each connection with an error of PostgreSQL. */
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

  it("for a PORT in use", async () => {
    const PORT = String(await listen(createServer()));
    expect(await refusalOf({ PORT })).toBe(
      `PORT: ${PORT} is in use by another program (EADDRINUSE)`,
    );
  });

  it.each([
    ["no-such-host.invalid", "can't be found: no such host"],
    // An address that is reserved for documentation (RFC 5737), so no server has it.
    ["192.0.2.1", "is not an address of this machine"],
  ])("for HOST=%s", async (HOST, fault) => {
    expect(await refusalOf({ HOST })).toMatch(new RegExp(`^HOST: ${HOST} ${fault} \\(E\\w+\\)$`));
  });

  it.each([
    ["3D000", "has no such database"],
    ["28P01", "refuses this user or password"],
    [
      "08P01",
      "refuses the connection. If it is a pooler, set DATABASE_POOLER. The pooler's log contains the cause",
    ],
  ])("for a DATABASE_URL refused with %s", async (code, fault) => {
    const host = `127.0.0.1:${await listen(refusingPostgres(code))}`;
    expect(await refusalOf(database(host))).toBe(`DATABASE_URL: ${host} ${fault} (${code})`);
  });

  it.each([
    ["08P01", "refuses the hub's startup parameters. Name PostgreSQL itself, not the pooler"],
    ["28P01", "refuses this user or password"],
  ])("for a DATABASE_DIRECT_URL refused with %s", async (code, fault) => {
    const direct = `127.0.0.1:${await listen(refusingPostgres(code))}`;
    const env = {
      ...database("127.0.0.1:1"),
      DATABASE_POOLER: "transaction",
      DATABASE_DIRECT_URL: `postgres://hub@${direct}/hub`,
    };
    expect(await refusalOf(env)).toBe(`DATABASE_DIRECT_URL: ${direct} ${fault} (${code})`);
  });

  it("for a DATABASE_URL without a server, or without a host", async () => {
    const closed = createServer();
    const host = `127.0.0.1:${await listen(closed)}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await refusalOf(database(host))).toBe(
      `DATABASE_URL: ${host} does not answer. Is PostgreSQL running there? (ECONNREFUSED)`,
    );
    expect(await refusalOf(database("no-such-host.invalid"))).toMatch(
      /^DATABASE_URL: no-such-host\.invalid can't be found: no such host \(E\w+\)$/,
    );
  });

  it("for a REDIS_URL with another scheme, without a server, host or Redis", async () => {
    expect(await refusalOf({ REDIS_URL: "http://localhost:6379" })).toMatch(
      /^REDIS_URL: .*Example: REDIS_URL=redis:\/\//,
    );
    const closed = createServer();
    const host = `127.0.0.1:${await listen(closed)}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await refusalOf({ REDIS_URL: `redis://:pass-word@${host}` })).toBe(
      `REDIS_URL: ${host} does not answer. Is Redis running there? (ECONNREFUSED)`,
    );
    expect(await refusalOf({ REDIS_URL: "redis://no-such-host.invalid" })).toMatch(
      /^REDIS_URL: no-such-host\.invalid can't be found: no such host \(E\w+\)$/,
    );
    const web = createServer((socket) => {
      socket
        .on("error", () => {})
        .on("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    const other = `127.0.0.1:${await listen(web)}`;
    expect(await refusalOf({ REDIS_URL: `redis://${other}` })).toBe(
      `REDIS_URL: ${other} does not answer as Redis does (NOT_REDIS)`,
    );
  });

  it("for a DATA_DIR that is a file, or in a file", async () => {
    const file = path.join(place, "file");
    await writeFile(file, "");
    const fault = "is not a directory, or lies in something that is none";
    expect(await refusalOf({ DATA_DIR: file })).toBe(`DATA_DIR: ${file} ${fault} (EEXIST)`);
    const inside = path.join(file, "data");
    expect(await refusalOf({ DATA_DIR: inside })).toBe(`DATA_DIR: ${inside} ${fault} (ENOTDIR)`);
  });
});
