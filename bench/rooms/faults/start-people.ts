import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../rest/contenders.ts";
import { startPinned } from "../../rest/pinned-process.ts";
import type { PeopleOrder, PeopleResult } from "./people-orders.ts";

/** The servers have the other one. */
const PEOPLE_CORE = 1;
/**
 * What people hear is theirs for a moment. With V8's usual sizes that filled its old memory once a
 * second, and its collector kept their only core from them for 20 ms at a time, again and again.
 */
const PEOPLE_FLAGS = [
  "--initial-old-space-size=256",
  "--no-memory-reducer",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

export interface People {
  process: ChildProcess;
  obey(order: PeopleOrder): Promise<PeopleResult>;
}

export function startPeople(): People {
  const script = fileURLToPath(new URL("./people.ts", import.meta.url));
  const child = startPinned(PEOPLE_CORE, script, [], { ipc: true, flags: PEOPLE_FLAGS });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The people are gone.")));
  // At the end of the bench they do go, and nobody waits for it.
  ended.catch(() => undefined);
  return {
    process: child,
    async obey(order) {
      child.send(order);
      const [result] = await Promise.race([once(child, "message"), ended]);
      return result as PeopleResult;
    },
  };
}

/** The settings of a hub that asks a provider which says what time it is. */
export async function startStampingProvider(): Promise<Record<string, string>> {
  const port = await freePort();
  const script = fileURLToPath(new URL("./stamping-provider.ts", import.meta.url));
  startPinned(PEOPLE_CORE, script, [String(port)], { ipc: true });
  return {
    TEXT_MODEL: "openai-compatible:clock",
    SUMMARY_MODEL: "offline",
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MODEL_CALLS_AT_ONCE: "1000",
  };
}
