import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";

/** A Redis of one test's own, that may be killed and started again. It keeps nothing on disk. */
export interface OwnRedis extends AsyncDisposable {
  url: string;
  start(): Promise<void>;
  /** As the system ends it when memory runs out. */
  kill(): Promise<void>;
  /** It answers nobody any more, and closes nothing. */
  freeze(): void;
  thaw(): void;
}

export async function startRedis(...settings: string[]): Promise<OwnRedis> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", ...settings];
    child = spawn(inject("services").redisServer ?? "redis-server", options, { stdio: "ignore" });
    await untilAnswered(port);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function untilAnswered(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.write("PING\r\n");
      const [answer] = await once(socket, "data");
      // It answers -LOADING first, and -NOAUTH where it asks for a password.
      if (/^(\+PONG|-NOAUTH)/.test(String(answer))) return;
    } catch {
      // Not yet.
    } finally {
      socket.destroy();
    }
    await sleep(20);
  }
}
