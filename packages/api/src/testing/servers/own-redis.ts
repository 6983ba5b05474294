import { inject } from "vitest";
import { freePort } from "./free-port.ts";
import { answersOn, startProgram } from "./own-program.ts";

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
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", ...settings];
  const redis = await startProgram({
    command: [inject("services").redisServer ?? "redis-server", ...options],
    // Redis is ready when it answers +PONG, or -NOAUTH if it requires a password. During startup
    // it answers -LOADING.
    answers: () => answersOn(port, { text: "PING\r\n", answer: /^(\+PONG|-NOAUTH)/ }),
  });
  return {
    ...redis,
    url: `redis://127.0.0.1:${port}`,
    kill: redis.end,
    freeze: () => redis.signal("SIGSTOP"),
    thaw: () => redis.signal("SIGCONT"),
  };
}
