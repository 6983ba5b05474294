import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { hostileCards, hostileLargeFiles, hostileZips } from "@soul-hub/soul-formats/testing";
import { newMember, ok } from "../processes/member.ts";
import { startHub } from "../processes/server.ts";
import { startWorker } from "../processes/worker.ts";
import type { Scenario } from "../runner/bench.ts";
import { memoryMiB, type Table } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import type { HealthProbe } from "./health-probe.ts";

const kinds = Object.entries({ ...hostileZips, ...hostileCards, ...hostileLargeFiles });

/** Forgets the largest memory of a process, so that the next one is that of the next file. */
const beginPeak = (pid: number | undefined) =>
  writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => undefined);

/**
 * A member imports hostile files, one kind after another. Meanwhile a guest asks for `/healthz` on
 * another connection.
 */
export const hostileFiles = (
  name: string,
  settingsOf: (stage: Stage) => Promise<Record<string, string>>,
): Scenario => ({
  name: `hostile files ${name}`,
  atMostSeconds: 300,
  async run(stage) {
    const hub = await startHub(stage, await settingsOf(stage));
    const { pid } = hub.process;
    const ada = await newMember(hub.url, "ada");
    const script = new URL("./health-probe.ts", import.meta.url);
    const { remote: probe } = startWorker<HealthProbe>(stage, script);
    const send = (bytes: Uint8Array) =>
      ada.send("POST", "/api/souls/import?dry_run=1", new Uint8Array(bytes), {
        "content-type": "application/octet-stream",
      });
    await ok(send(Buffer.from("# Orla")));
    await sleep(stage.size(1_000, 0));
    const resting = memoryMiB(pid, "VmRSS");
    const table: Table = new Map();
    const faults: string[] = [];
    const worst = { health: 0, memory: 0 };
    // What else uses the core delays an idle hub, too.
    await probe.begin(hub.url);
    await sleep(stage.size(3_000, 50));
    table.set("no file", { "healthz max ms": await probe.end() });
    // A test of `pnpm test` sends all of them.
    const some = kinds.filter((_, at) => at % 6 === 0);
    for (const [kind, make] of stage.size(kinds, some)) {
      const bytes = make();
      await beginPeak(pid);
      await probe.begin(hub.url);
      const start = performance.now();
      const { status, body } = await send(bytes);
      const took = performance.now() - start;
      const health = await probe.end();
      const memory = memoryMiB(pid, "VmHWM") - resting;
      if (status !== 400 || body.error !== "import_invalid") faults.push(`${kind}: ${status}`);
      table.set(kind, { "took ms": took, "healthz max ms": health, "MiB above rest": memory });
      worst.health = Math.max(worst.health, health);
      worst.memory = Math.max(worst.memory, memory);
    }
    return {
      table,
      goals: [
        atMost("/healthz, longest", worst.health, 200, " ms"),
        atMost("memory above rest", worst.memory, 300, " MiB"),
      ],
      faults,
    };
  },
});
