export type Cancel = () => void;

/** The rooms' clock. It is monotonic, so that a change of the system time expires no lease. */
export interface RoomTimers {
  now(): number;
  after(ms: number, run: () => void): Cancel;
  /** The number of pending timers. */
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
