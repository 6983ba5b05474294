import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@soul-hub/api/testing";

const EXAMPLE = path.resolve(import.meta.dirname, "../../examples/two-servers/haproxy.cfg");
const NAMES = ["one", "two", "three", "four"];

export interface LoadBalancer extends AsyncDisposable {
  url: string;
  /** The ports of the servers, four in number. */
  ports: readonly number[];
  /** Waits until HAProxy sends calls to exactly the servers with these indexes. */
  uses(...servers: number[]): Promise<void>;
}

/** Starts HAProxy with the example's configuration, for four servers instead of two. */
export async function startLoadBalancer(directory: string): Promise<LoadBalancer> {
  const [port = 0, ...ports] = await Promise.all(["", ...NAMES].map(() => freePort()));
  const config = path.join(directory, "haproxy.cfg");
  const further = NAMES.slice(2).map(
    (name) => `  server ${name} "\${HUB_${name.toUpperCase()}}"\n`,
  );
  await writeFile(config, (await readFile(EXAMPLE, "utf8")) + further.join(""));
  const child = spawn("haproxy", ["-db", "-f", config], {
    env: {
      PATH: `${process.env.PATH}:/usr/sbin`,
      HUB_BIND: `127.0.0.1:${port}`,
      ...Object.fromEntries(
        NAMES.map((name, n) => [`HUB_${name.toUpperCase()}`, `127.0.0.1:${ports[n]}`]),
      ),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(child, "spawn");
  const ended = once(child, "exit");
  // HAProxy assumes that a server is up, and logs each change.
  const isUp = new Map(NAMES.map((name) => [name, true]));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    for (const [, name = "", state] of text.matchAll(/Server hub\/(\w+) is (UP|DOWN)/g)) {
      isUp.set(name, state === "UP");
    }
  });
  return {
    url: `http://127.0.0.1:${port}`,
    ports,
    async uses(...servers) {
      while (NAMES.some((name, n) => isUp.get(name) !== servers.includes(n))) await sleep(50);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
