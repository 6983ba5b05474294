import { fileURLToPath } from "node:url";
import { freePort } from "@soul-hub/api/testing";
import { startPinned } from "../../rest/pinned-process.ts";
import { startWorker, type WorkerProcess } from "../../worker-process.ts";
import type { ParticipantOrder, ParticipantResult } from "./participant-orders.ts";

/** The CPU core of the clients. The servers run on the other core. */
const CLIENT_CORE = 1;
/**
 * V8 options for many short-lived event objects. With the defaults, these objects filled the old
 * generation once a second. Each collection blocked the clients' only core for 20 ms.
 */
const CLIENT_FLAGS = [
  "--initial-old-space-size=256",
  "--no-memory-reducer",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

export type ParticipantProcess = WorkerProcess<ParticipantOrder, ParticipantResult>;

export const startParticipants = (): ParticipantProcess =>
  startWorker(CLIENT_CORE, new URL("./participants.ts", import.meta.url), { flags: CLIENT_FLAGS });

/** Starts the model provider and returns the settings of a hub that uses it. */
export async function startStampingProvider(): Promise<Record<string, string>> {
  const port = await freePort();
  const script = fileURLToPath(new URL("./stamping-provider.ts", import.meta.url));
  startPinned(CLIENT_CORE, script, [String(port)], { ipc: true });
  return {
    TEXT_MODEL: "openai-compatible:clock",
    SUMMARY_MODEL: "offline",
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MODEL_CALLS_AT_ONCE: "1000",
  };
}
