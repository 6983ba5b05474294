export type Cancel = () => void;

/** Time as the rooms see it: monotonic, so a wall clock set back expires nobody's lease. */
export interface RoomTimers {
  now(): number;
  after(ms: number, run: () => void): Cancel;
  /** Timers that are still to fire. */
  readonly active: number;
}

export function createRoomTimers(): RoomTimers {
  const pending = new Set<NodeJS.Timeout>();
  return {
    now: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(() => {
        pending.delete(timer);
        run();
      }, ms);
      pending.add(timer);
      return () => {
        if (pending.delete(timer)) clearTimeout(timer);
      };
    },
    get active() {
      return pending.size;
    },
  };
}
