import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { freePort } from "./free-port.ts";
import { killChild } from "./kill-child.ts";

/**
 * A Redis server for one test, which the test can kill and restart. The server stores nothing on
 * disk.
 */
export interface OwnRedis extends AsyncDisposable {
  url: string;
  start(): Promise<void>;
  /** Kills the server with SIGKILL, as Linux does when memory runs out. */
  kill(): Promise<void>;
  /** Stops the server with SIGSTOP. The server no longer answers, and its connections stay open. */
  freeze(): void;
  thaw(): void;
}

/**
 * Starts a Redis server for one test.
 * @param settings further options of `redis-server`, such as `--requirepass` and its value
 */
export async function startRedis(...settings: string[]): Promise<OwnRedis> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", ...settings];
    child = spawn(inject("services").redisServer ?? "redis-server", options, { stdio: "ignore" });
    await waitForRedis(port);
  };
  const kill = () => killChild(child);
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    [Symbol.asyncDispose]: kill,
  };
}

async function waitForRedis(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.write("PING\r\n");
      const [answer] = await once(socket, "data");
      // Redis is ready when it answers +PONG, or -NOAUTH if it requires a password. During startup
      // it answers -LOADING.
      if (/^(\+PONG|-NOAUTH)/.test(String(answer))) return;
    } catch {
      // Redis does not accept connections yet, so the loop tries again.
    } finally {
      socket.destroy();
    }
    await sleep(20);
  }
}
