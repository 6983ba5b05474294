import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openRoom, say } from "@soul-hub/api/testing";
import { RepeatedCalls } from "../load/repeated-calls.ts";
import { sendRequest } from "../load/send-request.ts";
import { actorOf, newMember } from "../processes/member.ts";
import { startHub } from "../processes/server.ts";
import type { Bench, Scenario } from "../runner/bench.ts";
import { memoryMiB, valueAt } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { hostileFiles } from "./hostile-files.ts";

/** The attacker's address. The hub limits it apart from the member's address. */
const ATTACKER = "127.0.0.2";
const PROBE_EVERY_MS = 200;
const HEALTH = "/healthz";
const CHAT = "/api/chat";

/** Runs until it is over. Returns the number of calls. */
type Attack = (port: number, isOver: () => boolean, stage: Stage) => Promise<number>;

/** Posts JSON bodies of three million values without a pause. */
const wideBodies: Attack = async (port, isOver, stage) => {
  const body = `[${"1,".repeat(stage.size(3 * 1024 * 1024 - 2, 1_024))}1]`;
  const login = { port, path: "/trpc/accounts.login", localAddress: ATTACKER, body };
  let calls = 0;
  const lane = async () => {
    for (; !isOver(); calls++) {
      const answer = await sendRequest({ ...login, agent: false }).catch(() => null);
      // The attacker waits after a refusal. Without the pause, the benchmark would measure the
      // attacker's own busy loop.
      if (answer?.status !== 200) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: stage.size(12, 1) }, lane));
  return calls;
};

/**
 * Opens connections and withholds the last byte of each request body, so that the server waits for
 * it.
 */
const halfSentBodies: Attack = async (port, isOver, stage) => {
  const bytes = stage.size(6 * 1024 * 1024, 1_024);
  const head = [
    "POST /trpc/chat.send HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}`,
    "\r\n",
  ].join("\r\n");
  const body = Buffer.alloc(bytes - 1, "[");
  const sockets: Socket[] = [];
  while (!isOver()) {
    if (sockets.length < stage.size(900, 4)) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: ATTACKER });
      socket.on("error", () => {}).resume();
      socket.write(head);
      socket.write(body);
      sockets.push(socket);
    }
    await sleep(5);
  }
  for (const socket of sockets) socket.destroy();
  return sockets.length;
};

/** Starts a hub with default limits, and a member that chats. */
const targetOf = (stage: Stage) =>
  stage.share("target", async () => {
    const settings = { DATA_DIR: await stage.newDataDirectory(), RATE_LIMITS: "on" };
    const main = stage.option("main", "") || undefined;
    const name = "hub with default limits";
    const hub = await startHub(stage, settings, { name, main });
    const ada = await newMember(hub.url, "ada");
    const room = await openRoom(ada);
    return { hub, chat: () => say(ada, room, "Is it dark?") };
  });

/**
 * An attack by one guest at one address, with default limits and on loopback only. A member at
 * another address chats meanwhile.
 */
const scenarioOf = (name: string, attack: Attack): Scenario => ({
  name,
  atMostSeconds: 120,
  async run(stage) {
    const { hub, chat } = await targetOf(stage);
    const { pid } = hub.process;
    for (let n = 0; n < stage.size(20, 1); n++) await chat();
    await sleep(stage.size(1_000, 0));
    const resting = memoryMiB(pid, "VmRSS");

    let isOver = false;
    let peak = resting;
    const probes = new RepeatedCalls(stage);
    const guest = actorOf(hub.url, "guest");
    probes.repeat(PROBE_EVERY_MS, chat, CHAT);
    probes.repeat(
      PROBE_EVERY_MS,
      () => {
        peak = Math.max(peak, memoryMiB(pid, "VmRSS"));
        return guest.get(HEALTH);
      },
      HEALTH,
    );
    const attacking = attack(hub.port, () => isOver, stage);
    await sleep(stage.size(12_000, 800));
    isOver = true;
    await probes.end();
    const calls = await attacking;
    const table = probes.table();
    table.set("server", { "MiB at rest": resting, "MiB at most": peak, attacks: calls });
    const goalOf = (kind: string) =>
      atMost(`${kind}, longest`, valueAt(table, kind, "max ms"), 500, " ms");
    return {
      table,
      goals: [goalOf(HEALTH), goalOf(CHAT), atMost("memory", peak / resting, 2, " × at rest")],
      faults: [
        ...probes.faults.map((fault) => `${hub.name}: ${fault}`),
        ...(calls > 0 ? [] : ["attacker: made no call"]),
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
    hostileFiles("PGlite", async (stage) => ({ DATA_DIR: await stage.newDataDirectory() })),
    hostileFiles("PostgreSQL", async (stage) => ({ DATABASE_URL: await stage.newDatabase() })),
  ],
};
