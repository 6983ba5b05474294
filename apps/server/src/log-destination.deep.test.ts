import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { END_WITH_PARENT, eventually } from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";

const ADMIN_TOKEN = "admin-token-of-this-test";

/** Starts the real server with `stdout` as its log's destination. */
async function startLogging(stdout: "pipe" | number) {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await makePlace("pglite"));
  const main = path.join(import.meta.dirname, "main.ts");
  const env = {
    PORT: "0",
    STARTER_SOULS: "off",
    LOG_LEVEL: "trace",
    DATA_SYNC: "off",
    ADMIN_TOKEN,
  };
  const child: ChildProcess = spawn(process.execPath, ["--import", END_WITH_PARENT, main], {
    env: { ...place.env, TEXT_MODEL: "offline", ...env },
    stdio: ["pipe", stdout, "ignore"],
  });
  const exited = once(child, "exit");
  opened.defer(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const address = await eventually(async () => {
    expect(child.exitCode).toBe(null);
    const left = await readFile(path.join(place.env.DATA_DIR, "server.json"), "utf8");
    return String(JSON.parse(left).address);
  });
  const running = opened.move();
  return {
    child,
    exited,
    request: async (route = "/api/souls") => (await fetch(address + route)).status,
    async dropped() {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const text = await (await fetch(`${address}/metrics`, { headers })).text();
      return Number(/^soulhub_log_dropped_lines_total (\d+)$/m.exec(text)?.[1]);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Logging = Awaited<ReturnType<typeof startLogging>>;

/** Sends requests until the server has dropped log lines of them. */
async function fillLog(server: Logging): Promise<void> {
  for (let sent = 0; (await server.dropped()) === 0; sent += 500) {
    expect(sent).toBeLessThan(30_000);
    for (let n = 0; n < 10; n++) {
      const statuses = await Promise.all(Array.from({ length: 50 }, () => server.request()));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  }
}

/** Decision 0035. */
describe("a log that nobody takes", () => {
  it("drops lines and counts them, and continues once the pipe is read", {
    timeout: 120_000,
  }, async () => {
    await using server = await startLogging("pipe");
    await fillLog(server);
    let text = "";
    server.child.stdout?.on("data", (data) => {
      text += data;
    });
    await eventually(async () => {
      expect(await server.request("/api/no-such-path")).toBe(404);
      expect(text).toContain('"status":404');
    });
    const lines = text.split("\n").slice(0, -1);
    const broken = lines.filter((line) => line.startsWith("{") && !line.endsWith("}"));
    expect(broken).toEqual([]);
    server.child.kill("SIGTERM");
    expect(await server.exited).toEqual([0, null]);
  });

  it("on a full disk, the server responds, counts dropped lines and stops", {
    timeout: 120_000,
  }, async () => {
    const full = openSync("/dev/full", "w");
    await using server = await startLogging(full);
    closeSync(full);
    await fillLog(server);
    server.child.kill("SIGTERM");
    expect(await server.exited).toEqual([0, null]);
  });

  it("the server stops although nobody reads its pipe", { timeout: 120_000 }, async () => {
    await using server = await startLogging("pipe");
    await fillLog(server);
    server.child.kill("SIGTERM");
    expect(await server.exited).toEqual([0, null]);
  });
});
