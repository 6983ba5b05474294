import type { Cancel, RoomTimers } from "../room-timers.ts";

/** Joins the text pieces of one reply into larger deltas. */
export interface DeltaBatcher {
  add(text: string): void;
  /** Sends the text pieces that were not sent yet. */
  flush(): void;
}

/**
 * Batches the text pieces of replies. Models write more pieces a second than a reader can notice,
 * and each event has a cost. The first piece of a reply is sent at once. One timer serves all
 * replies, since one timer per reply would wake the process far more often.
 */
export function createDeltaBatching(timers: Pick<RoomTimers, "after">, intervalMs: number) {
  const waiting = new Set<DeltaBatcher>();
  let cancel: Cancel | undefined;
  const flushAll = () => {
    cancel = undefined;
    for (const batcher of waiting) batcher.flush();
  };

  /** @param send takes a text and its offset in the reply, in UTF-16 code units */
  return (send: (text: string, offset: number) => void): DeltaBatcher => {
    let offset = 0;
    let batch = "";
    const batcher: DeltaBatcher = {
      add(text) {
        if (text === "") return;
        batch += text;
        if (offset === 0) return batcher.flush();
        waiting.add(batcher);
        cancel ??= timers.after(intervalMs, flushAll);
      },
      flush() {
        waiting.delete(batcher);
        if (waiting.size === 0) {
          cancel?.();
          cancel = undefined;
        }
        if (batch === "") return;
        const text = batch;
        const start = offset;
        batch = "";
        offset += text.length;
        send(text, start);
      },
    };
    return batcher;
  };
}
