import { setTimeout as sleep } from "node:timers/promises";
import type { CallContext } from "../../context.ts";
import { isConnectionError } from "../../db/database-errors.ts";
import { HubError } from "../../errors.ts";
import { inSpan } from "../../tracing/call-scope.ts";

/**
 * Milliseconds after which no further attempt to store a reply starts. To get a connection and to
 * run its statement, the last attempt may take 35 s more.
 */
const ATTEMPTS_FOR_MS = 25_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Seconds by which a quota hold outlives its model call. They cover all attempts to store the reply
 * and the statements before them.
 */
export const STORING_SECONDS = 90;

/**
 * Stores a finished reply, and retries for 25 s while connections are lost or none is free
 * (docs/decisions/0015). The reply keeps its slot of the model call queue meanwhile. An overloaded
 * hub thus refuses new questions instead of losing paid replies.
 * @param store must be idempotent: an attempt may succeed although its response was lost
 * @throws HubError `overloaded` if the database stayed unreachable; other errors of `store`
 */
export const retryStore = <Stored>(
  { hub, log }: Pick<CallContext, "hub" | "log">,
  store: () => Promise<Stored>,
): Promise<Stored> =>
  inSpan("store", async () => {
    const { stopped } = hub.replies;
    const end = performance.now() + ATTEMPTS_FOR_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await hub.storing.run(store, Math.max(0, end - performance.now()));
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        const failure = new HubError("overloaded", { cause: error });
        if (stopped.aborted || performance.now() + pause > end) throw failure;
        hub.metrics.storingRetries.inc();
        log.warn({ err: error }, "storing a reply failed; it will be retried");
        await sleep(pause, undefined, { signal: stopped }).catch(() => {
          throw failure;
        });
      }
    }
  });
