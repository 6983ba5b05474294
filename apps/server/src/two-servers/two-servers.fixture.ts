import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Actor, eventually, freePort, runOnServer } from "@soul-hub/api/testing";
import { expect, inject, onTestFinished } from "vitest";

const EXAMPLE = path.resolve(import.meta.dirname, "../../../../examples/two-servers/haproxy.cfg");

/**
 * Starts HAProxy with the configuration of the example. HAProxy ends with the test run, because its
 * input closes.
 */
export async function startHaproxy(hubs: readonly number[]) {
  const port = await freePort();
  const child = spawn(inject("services").haproxy ?? "", ["-db", "-f", EXAMPLE], {
    env: {
      HUB_BIND: `127.0.0.1:${port}`,
      HUB_ONE: `127.0.0.1:${hubs[0]}`,
      HUB_TWO: `127.0.0.1:${hubs[1]}`,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    /** Waits until HAProxy sends requests to all servers. It logs each server that starts or stops. */
    async usesAllServers() {
      await eventually(() => {
        for (const name of ["one", "two"]) {
          expect(log.split(`Server hub/${name} is `).at(-1)).toMatch(/^UP/);
        }
      });
    },
    /** Waits until HAProxy has noticed that one server does not accept requests. */
    async missesAServer() {
      await eventually(() => {
        const states = ["one", "two"].map((name) => log.split(`Server hub/${name} is `).at(-1));
        expect(states.some((state) => state?.startsWith("DOWN"))).toBe(true);
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** A response other than 200 or a lost connection, with the times of its request and its arrival in milliseconds. */
export interface Refusal {
  answer: string;
  from: number;
  to: number;
}

/**
 * Repeats an HTTP request until `end` is called or the test ends, and collects every outcome other
 * than 200.
 * @param call sends the nth request, counted from 0
 */
export function callRepeatedly(call: (n: number) => ReturnType<Actor["get"]>, pauseMs = 20) {
  const refused: Refusal[] = [];
  let answers = 0;
  let isOver = false;
  const calling = (async () => {
    for (let n = 0; !isOver; n++) {
      const from = performance.now();
      const { status, text } = await call(n).catch((error: Error) => ({
        status: "no answer",
        text: String(error.cause ?? error),
      }));
      const to = performance.now();
      if (status === 200) answers++;
      else refused.push({ answer: `${status} ${text}`, from, to });
      await sleep(pauseMs);
    }
  })();
  const end = async () => {
    isOver = true;
    await calling;
  };
  onTestFinished(end);
  return {
    refused,
    get answers() {
      return answers;
    },
    end,
  };
}

/** Counts the connections of clients at a PostgreSQL server four times a second, until the test ends. */
export function countConnections(url: string) {
  let most = 0;
  const count = `select count(*)::int as open from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const sampling = setInterval(async () => {
    const found = await runOnServer(url, count).catch(() => undefined);
    most = Math.max(most, found?.rows[0].open ?? 0);
  }, 250);
  onTestFinished(() => clearInterval(sampling));
  return {
    /** Ends the counting, and returns the largest count. */
    end() {
      clearInterval(sampling);
      return most;
    },
  };
}
