import type { ReplyDelta } from "../context.ts";
import { roomLimits } from "../rooms/room-limits.ts";

/** One timer for all replies: each with its own would wake the process a thousand times as often. */
const due = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

function flushDue(): void {
  timer = undefined;
  const all = [...due];
  due.clear();
  for (const flush of all) flush();
}

export interface GatheredDeltas {
  add: (delta: ReplyDelta) => void;
  /** What is still gathered leaves now. */
  flush: () => void;
}

/**
 * The first piece leaves at once, and those that follow gathered: models write more pieces a second
 * than anybody sees, and each event costs as much as the text in it.
 */
export function gatherDeltas(send: (delta: ReplyDelta) => void): GatheredDeltas {
  let hasBegun = false;
  let gathered: ReplyDelta | undefined;
  const flush = () => {
    due.delete(flush);
    if (!gathered) return;
    send(gathered);
    gathered = undefined;
  };
  return {
    add(delta) {
      if (gathered) {
        gathered.text += delta.text;
      } else if (hasBegun) {
        gathered = { ...delta };
        due.add(flush);
        if (!timer) timer = setTimeout(flushDue, roomLimits.DELTA_MS);
      } else {
        hasBegun = true;
        send(delta);
      }
    },
    flush,
  };
}
