import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PASSWORD, startServerProcess } from "@soul-hub/api/testing";
import type { Bench, Scenario } from "../runner/bench.ts";
import { blame, memoryMiB, type Values } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { presentRelease } from "../upgrade/releases.ts";
import {
  type Attack,
  type Called,
  call,
  halfSentBodies,
  MEMBER,
  wideBodies,
} from "./attack-calls.ts";

const PROBE_EVERY_MS = 200;
const HUB_NAME = "hub with default settings";

/** Starts a server with default settings, and a member that chats from an address of its own. */
const targetOf = (stage: Stage) =>
  stage.share("target", () =>
    blame(HUB_NAME, async () => {
      const directory = await stage.newDirectory();
      const main = stage.option("main", presentRelease);
      const server = stage.use(await startServerProcess(main, { DATA_DIR: directory }));
      const url = new URL(server.url);
      const secrets = JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8"));
      const post = (at: string, body: object, key = "") =>
        call(new URL(at, url), MEMBER, { key, body: JSON.stringify(body) });
      const account = { username: "ada", password: PASSWORD, email: "a@example.org" };
      const key = JSON.parse((await post("/api/register", account)).text).api_key;
      const pass = { username: "ada", tier: "pro", days: 1 };
      await post("/api/admin/pass", pass, secrets.admin_token);
      const soul = { title: "Orla", content: "I keep the light." };
      const { id } = JSON.parse((await post("/api/souls", soul, key)).text);
      const line = { soul_id: id, session_token: "hall", content: "Is it dark?" };
      return { pid: server.pid, url, chat: () => post("/api/chat", line, key) };
    }),
  );

/**
 * An attack by one guest at one address, with default settings and on loopback only. A member at
 * another address chats meanwhile.
 */
const scenarioOf = (name: string, attack: Attack): Scenario => ({
  name,
  atMostSeconds: 120,
  async run(stage) {
    const { pid, url, chat } = await targetOf(stage);
    for (let n = 0; n < stage.size(20, 1); n++) await chat();
    await sleep(stage.size(1_000, 0));
    const resting = memoryMiB(pid, "VmRSS");

    let isOver = false;
    let peak = resting;
    const probes: Record<string, Called[]> = { "/healthz": [], "/api/chat": [] };
    const probe = async (kind: string, ask: () => Promise<Called>) => {
      while (!isOver) {
        probes[kind]?.push(await ask());
        peak = Math.max(peak, memoryMiB(pid, "VmRSS"));
        await sleep(PROBE_EVERY_MS);
      }
    };
    const running = Promise.all([
      attack(url, () => isOver, stage),
      probe("/healthz", () => call(new URL("/healthz", url), MEMBER)),
      probe("/api/chat", chat),
    ]);
    await sleep(stage.size(12_000, 800));
    isOver = true;
    const [calls] = await running;
    const rows = Object.entries(probes).map(([kind, called]) => {
      const times = called.map(({ ms }) => ms);
      const values = { "median ms": quantile(times, 0.5), "max ms": quantile(times, 1) };
      return { kind, values, failed: called.filter(({ status }) => status !== 200).length };
    });
    return {
      table: new Map<string, Values>([
        ...rows.map(({ kind, values }) => [kind, values] as const),
        ["server", { "MiB at rest": resting, "MiB at most": peak, attacks: calls }],
      ]),
      goals: [
        ...rows.map(({ kind, values }) => atMost(`${kind}, longest`, values["max ms"], 500, " ms")),
        atMost("memory", peak / resting, 2, " × at rest"),
      ],
      faults: [
        ...rows.flatMap(({ kind, failed }) =>
          failed ? [`${HUB_NAME}: ${failed} calls of ${kind} failed`] : [],
        ),
        ...(calls > 0 ? [] : [`attacker: made no call`]),
      ],
    };
  },
});

/** What do attacks cost other callers? The option `main` names the main.ts of another release. */
export const bench: Bench = {
  isolates: true,
  scenarios: [
    scenarioOf("wide bodies", wideBodies),
    scenarioOf("half-sent bodies", halfSentBodies),
  ],
};
