import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@soul-hub/api/testing";
import { ROOT } from "../processes/server.ts";
import type { Stage } from "../runner/stage.ts";

const NAMES = ["one", "two", "three", "four"];

export interface LoadBalancer {
  url: string;
  /** The ports of the servers, four in number. */
  ports: readonly number[];
  /** Waits until HAProxy sends calls to exactly the servers with these indexes. */
  uses(...servers: number[]): Promise<void>;
}

/** Starts HAProxy with the example's configuration, for four servers instead of two. */
export async function startLoadBalancer(stage: Stage): Promise<LoadBalancer> {
  const [port, ...ports] = await Promise.all(["", ...NAMES].map(() => freePort()));
  const config = path.join(await stage.newDirectory(), "haproxy.cfg");
  const variable = (name = "") => `HUB_${name.toUpperCase()}`;
  const further = NAMES.slice(2).map((name) => `  server ${name} "\${${variable(name)}}"\n`);
  const example = await readFile(path.join(ROOT, "examples/two-servers/haproxy.cfg"), "utf8");
  await writeFile(config, example + further.join(""));
  const child = spawn("haproxy", ["-db", "-f", config], {
    env: {
      PATH: `${process.env.PATH}:/usr/sbin`,
      HUB_BIND: `127.0.0.1:${port}`,
      ...Object.fromEntries(ports.map((port, n) => [variable(NAMES[n]), `127.0.0.1:${port}`])),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(child, "spawn");
  stage.onEnd(() => child.kill("SIGKILL"));
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
  };
}
