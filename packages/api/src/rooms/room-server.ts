import type { BusContent } from "./bus/room-bus.ts";
import type { RoomPorts } from "./ports/room-ports.ts";
import { ReplyTracker } from "./replies/reply-tracker.ts";
import { type RoomLimits, roomLimits } from "./room-limits.ts";
import { createThrottle } from "./room-throttle.ts";
import { createRoomTimers, type RoomTimers } from "./room-timers.ts";

export interface RoomServerOptions extends Omit<RoomPorts, "timers" | "limits"> {
  timers?: RoomTimers;
  limits?: Partial<RoomLimits>;
}

export type RoomServer = ReturnType<typeof createRoomServer>;

/** Creates the parts that all rooms of one server share. */
export function createRoomServer(options: RoomServerOptions) {
  const timers = options.timers ?? createRoomTimers();
  const limits = { ...roomLimits, ...options.limits };
  const ports: RoomPorts = { ...options, timers, limits };
  const replies = new ReplyTracker({
    now: timers.now,
    silenceMs: limits.REPLY_SILENCE_MS,
    // The reply store is read at every renewal of leases. A reply counts as lost when two reads did
    // not find it.
    lostMs: 1.5 * limits.RENEW_MS,
  });
  const throttleTyping = createThrottle(limits.TYPING_MS, timers.now);
  const background = new Set<Promise<unknown>>();
  let lastNumber = 0;

  /** Runs work that no caller awaits, and reports its failure. */
  function inBackground(doing: string, work: Promise<unknown>): void {
    const settled = work
      .catch((error: unknown) => ports.onError(error, doing))
      .finally(() => background.delete(settled));
    background.add(settled);
  }

  return {
    ports,
    replies,
    inBackground,
    /** Publishes a message to all servers, this one included. */
    publish(channel: string, content: BusContent): void {
      const published = ports.bus.publish(channel, { ...content, from: ports.nodeId });
      inBackground("publishing to a room", published);
    },
    /** Returns false if the participant's last typing event in this room is too recent. */
    mayType: (roomKey: string, participantId: string) =>
      throttleTyping(`${participantId} ${roomKey}`),
    /** Returns the next number for the ids of this server's transient events and sessions. */
    nextNumber: () => ++lastNumber,
    /** Waits until no work runs in the background. */
    async settle(): Promise<void> {
      while (background.size > 0) await Promise.all(background);
    },
  };
}
