import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../rest/contenders.ts";
import { startPinned } from "../../rest/pinned-process.ts";
import type { PeopleOrder, PeopleResult } from "./people-orders.ts";

/** The servers have the other one. */
const PEOPLE_CORE = 1;

export interface People {
  process: ChildProcess;
  obey(order: PeopleOrder): Promise<PeopleResult>;
}

export function startPeople(): People {
  const script = fileURLToPath(new URL("./people.ts", import.meta.url));
  const child = startPinned(PEOPLE_CORE, script, [], { ipc: true });
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
