import { setTimeout as sleep } from "node:timers/promises";
import type { CallContext } from "../context.ts";
import { isLostConnection } from "../db/lost-connection.ts";

/** No attempt begins later. The last may wait for a connection, and then for its statement: 35 s. */
const ATTEMPTS_FOR_MS = 25_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** What a hold must outlive a call to a model by: all attempts, and the statements before the call. */
export const STORING_SECONDS = 90;

/**
 * What the provider has been paid for is not lost because all connections are busy, or one breaks:
 * it is stored at the next attempt. Meanwhile the reply keeps its turn, so that what a hub with too
 * much to do turns away are new questions (docs/decisions/0015).
 * @param store may be repeated: what an attempt has stored whose answer was lost, the next one finds
 */
export async function untilStored<Stored>(
  { hub, log }: Pick<CallContext, "hub" | "log">,
  store: () => Promise<Stored>,
): Promise<Stored> {
  const { calledBack } = hub.replies;
  const end = performance.now() + ATTEMPTS_FOR_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await hub.storing.run(store, Math.max(0, end - performance.now()));
    } catch (error) {
      const isOver = calledBack.aborted || performance.now() + pause > end;
      if (isOver || !isLostConnection(error)) throw error;
      log.warn({ err: error }, "a reply could not be stored yet");
      await sleep(pause, undefined, { signal: calledBack }).catch(() => {
        throw error;
      });
    }
  }
}
