import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type HubProcess,
  killTool,
  runTool,
  spawnTool,
  startHubProcess,
} from "./hub-process.fixture.ts";

/** Decision 0028. The hub is embedded and runs as a process of its own. */
describe("pnpm hub backup, verify and restore", () => {
  let running: HubProcess;
  let place: string;
  let file: string;

  beforeAll(async () => {
    running = await startHubProcess();
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-backup-"));
    file = path.join(place, "hub.hub");
    const account = {
      username: "ada",
      password: "correct horse battery",
      email: "ada@example.org",
    };
    const guest = running.server.actor({ name: "ada" });
    expect((await guest.post("/api/register", account)).status).toBe(200);
    expect(await running.hub("backup", file)).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
    await rm(place, { recursive: true, force: true });
  });

  /** A new DATA_DIR, which contains nothing or a copy of the running hub's files. */
  const dataDirectory = () => mkdtemp(path.join(place, "data-"));
  const adaLogsIn = async (directory: string) => {
    await using again = await startHubProcess(directory);
    expect((await again.hub("audit")).stdout).toContain('operator  restore  hub     {"app":');
    const guest = again.server.actor({ name: "ada" });
    const login = { username: "ada", password: "correct horse battery" };
    return (await guest.post("/api/login", login)).status;
  };

  it("writes a file that only its owner can read, and that verify accepts", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const verified = await running.hub("verify", file);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    expect(verified.stdout).toMatch(
      /is whole: \d+ rows, written .+ UTC by Soul Hub \S+ \(schema \d+\)/,
    );
    expect(verified.stdout).toContain("master keys k1");
    expect((await readdir(place)).filter((name) => name.includes("unfinished"))).toEqual([]);
    const audited = await running.hub("audit", "--action", "back-up");
    expect(audited.stdout).toContain('operator  back-up  hub     {"with_keys":true}');
  });

  it("writes the backup to stdout, and nothing else", async () => {
    const backUp = (...options: string[]) =>
      spawnTool({ DATA_DIR: running.directory }, "backup", "-", ...options);
    const { code, stdout, stderr } = await backUp();
    expect([code, stderr]).toEqual([0, ""]);
    const withoutKeys = await backUp("--without-keys");
    expect(withoutKeys.stderr).toContain("Store MASTER_KEYS elsewhere");
    await writeFile(path.join(place, "piped.hub"), stdout, "latin1");
    expect((await running.hub("verify", path.join(place, "piped.hub"))).code).toBe(0);
  });

  it("restores into an empty DATA_DIR, keys included", async () => {
    const directory = await dataDirectory();
    const restored = await runTool({ DATA_DIR: directory }, "restore", file);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(restored.stdout).toMatch(/^Restored \d+ rows of .+ UTC into .+database\.\n$/);
    const secrets = (of: string) => readFile(path.join(of, "secrets.json"), "utf8");
    expect(JSON.parse(await secrets(directory))).toEqual(
      JSON.parse(await secrets(running.directory)),
    );
    expect(await adaLogsIn(directory)).toBe(200);
  });

  it("refuses a DATA_DIR with data, and keeps that data with --replace", async () => {
    const directory = await dataDirectory();
    await runTool({ DATA_DIR: directory }, "restore", file);
    const refused = await runTool({ DATA_DIR: directory }, "restore", file);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("contains a database. To keep its data");
    const replaced = await runTool({ DATA_DIR: directory }, "restore", file, "--replace");
    expect(replaced.code).toBe(0);
    expect(replaced.stdout).toMatch(/The former data is in .+database\.before-\d{8}-\d{6}\./);
    expect(await adaLogsIn(directory)).toBe(200);
  });

  it("closes an account again that asked for its deletion after the backup", async () => {
    const directory = await dataDirectory();
    await runTool({ DATA_DIR: directory }, "restore", file);
    {
      await using hub = await startHubProcess(directory);
      const guest = hub.server.actor({ name: "ada" });
      const login = { username: "ada", password: "correct horse battery" };
      const { body } = await guest.post("/api/login", login);
      const ada = hub.server.actor({ name: "ada", apiKey: body.api_key });
      const choice = { password: login.password, souls: "delete", messages: "erase" };
      expect((await ada.post("/api/delete-account", choice)).status).toBe(200);
    }
    const replaced = await runTool({ DATA_DIR: directory }, "restore", file, "--replace");
    expect(replaced.code).toBe(0);
    expect(await adaLogsIn(directory)).toBe(403);
  });

  it("refuses a running hub", async () => {
    const refused = await running.hub("restore", file, "--replace");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("is in use by another"),
    ]);
  });

  it("refuses a damaged file and a missing one", async () => {
    const directory = await dataDirectory();
    const cut = path.join(place, "cut.hub");
    await writeFile(cut, (await readFile(file)).subarray(0, -1));
    for (const command of ["restore", "verify"]) {
      const refused = await runTool({ DATA_DIR: directory }, command, cut);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining("not a whole backup"),
      ]);
      const missing = await runTool({ DATA_DIR: directory }, command, path.join(place, "none.hub"));
      expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("ENOENT")]);
    }
    expect(await readdir(directory)).toEqual([]);
  });

  it("refuses keys that do not fit, unless the secrets may be lost", async () => {
    const directory = await dataDirectory();
    const withoutKeys = path.join(place, "without-keys.hub");
    await running.hub("backup", withoutKeys, "--without-keys");
    const refused = await runTool({ DATA_DIR: directory }, "restore", withoutKeys);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("lacks the master key k1"),
    ]);
    const MASTER_KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
    const wrong = await runTool({ DATA_DIR: directory, MASTER_KEYS }, "restore", file);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("MASTER_KEYS lacks")]);
    expect(await readdir(directory)).toEqual([]);
    const lost = await runTool({ DATA_DIR: directory }, "restore", withoutKeys, "--lose-secrets");
    expect([lost.code, lost.stderr]).toEqual([0, ""]);
    // The password does not depend on the lost keys.
    expect(await adaLogsIn(directory)).toBe(200);
  });

  it("leaves the former data in use if it is killed halfway", async () => {
    const directory = await dataDirectory();
    await runTool({ DATA_DIR: directory }, "restore", file);
    for (let n = 0; n < 3; n++) {
      const afterMs = randomInt(200, 1_500);
      await killTool(afterMs, { DATA_DIR: directory }, "restore", file, "--replace");
      expect(await adaLogsIn(directory)).toBe(200);
      expect((await readdir(directory)).filter((name) => name.includes("restor"))).toEqual([]);
    }
  });
});

/** Where Node keeps the dispatcher of `fetch`. */
const FETCH = Symbol.for("undici.globalDispatcher.1");
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Lowers the limit within which `fetch` needs a response, which is 300 s. */
function limitFetch(headersTimeout: number) {
  const place = globalThis as unknown as Record<typeof FETCH, Dispatcher>;
  const { [FETCH]: original } = place;
  place[FETCH] = {
    dispatch: (options, handler) => original.dispatch({ ...options, headersTimeout }, handler),
  };
  return {
    [Symbol.dispose]: () => {
      place[FETCH] = original;
    },
  };
}

describe("pnpm hub backup with a hub that copies for a long time", () => {
  it("waits for its response", async () => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-late-"));
    const late = Promise.withResolvers<void>();
    const server = createServer(async ({ url }, response) => {
      if (url === "/healthz") return response.end('{"status":"ok","version":"0.1.0"}');
      await late.promise;
      response.end("a backup");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = path.join(place, "late.hub");
    try {
      await fetch(`${BASE_URL}/healthz`);
      using _ = limitFetch(1_000);
      const running = runTool({ BASE_URL, ADMIN_TOKEN: "token-of-the-late-hub" }, "backup", file);
      await once(server, "request");
      await once(server, "request");
      // The limit of `fetch` has passed for the backup, too.
      await expect(fetch(`${BASE_URL}/late`)).rejects.toMatchObject({
        cause: { code: "UND_ERR_HEADERS_TIMEOUT" },
      });
      late.resolve();
      expect(await running).toMatchObject({ code: 0, stderr: "" });
      expect(await readFile(file, "utf8")).toBe("a backup");
    } finally {
      server.close();
      await rm(place, { recursive: true });
    }
  });

  it("begins after the backup that runs, and says so", async () => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-late-"));
    let calls = 0;
    const server = createServer(({ url }, response) => {
      if (url === "/healthz") return response.end('{"status":"ok","version":"0.1.0"}');
      if (++calls > 1) return response.end("a backup");
      const refusal = { success: false, error: "backup_running", message: "Another one runs." };
      response.writeHead(409).end(JSON.stringify(refusal));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = path.join(place, "next.hub");
    try {
      const env = { BASE_URL, ADMIN_TOKEN: "token-of-the-late-hub" };
      const { code, stderr } = await runTool(env, "backup", file);
      expect([code, stderr]).toEqual([
        0,
        "Another backup is running, perhaps the scheduled one. This one starts when that one has ended.\n",
      ]);
      expect(await readFile(file, "utf8")).toBe("a backup");
    } finally {
      server.close();
      await rm(place, { recursive: true });
    }
  });

  it("gives up if the backup that runs does not end within an hour", async () => {
    const clock = vi.spyOn(performance, "now");
    const server = createServer(({ url }, response) => {
      if (url === "/healthz") return response.end('{"status":"ok","version":"0.1.0"}');
      clock.mockReturnValue(performance.now() + 3_600_001);
      const refusal = { success: false, error: "backup_running", message: "Another one runs." };
      response.writeHead(409).end(JSON.stringify(refusal));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const env = { BASE_URL, ADMIN_TOKEN: "token-of-the-late-hub" };
      const { code, stderr } = await runTool(env, "backup", "--json", "never.hub");
      expect([code, stderr]).toEqual([1, expect.stringContaining('"backup_running"')]);
    } finally {
      clock.mockRestore();
      server.close();
    }
  });
});
