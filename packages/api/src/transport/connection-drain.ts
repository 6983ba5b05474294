declare module "../context.ts" {
  interface Hub {
    /** Moves long-lived connections to other servers when the hub stops. */
    connectionDrain: ConnectionDrain;
  }
}

/** Connections of one kind, and the way to ask one of them to reconnect. */
interface ConnectionGroup<Member> {
  members: () => Iterable<Member>;
  ask: (member: Member) => void;
}

/** Moves the clients of a stopping server to other servers, without a gap and one after the other. */
export interface ConnectionDrain {
  add<Member>(group: ConnectionGroup<Member>): void;
  /** Asks all clients to reconnect. Resolves when all have left or the time limit is over. */
  run(): Promise<void>;
}

/**
 * The interval between requests to two clients to reconnect. The new server needs this time, since
 * each client resubscribes and catches up.
 */
const INTERVAL_MS = 10;
/** The maximum time for asking all clients to reconnect, however many they are (decisions §8). */
const SPREAD_MS = 4_000;
/**
 * Time for the last clients to leave. The server does not wait longer for clients that ignore the
 * request to reconnect.
 */
const PATIENCE_MS = 1_500;
const CHECK_MS = 50;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** @param isPatient if false, all clients are asked to reconnect at once, and none is awaited */
export function createConnectionDrain(isPatient: boolean): ConnectionDrain {
  const groups: ConnectionGroup<unknown>[] = [];
  const requests = () =>
    groups.flatMap(({ members, ask }) => [...members()].map((member) => () => ask(member)));

  return {
    add: (group) => void groups.push(group as ConnectionGroup<unknown>),
    async run() {
      const pending = requests();
      const interval = isPatient ? Math.min(INTERVAL_MS, SPREAD_MS / pending.length) : 0;
      const start = performance.now();
      for (const [n, ask] of pending.entries()) {
        const early = start + n * interval - performance.now();
        if (early >= 1) await sleep(early);
        ask();
      }
      const end = performance.now() + (isPatient ? PATIENCE_MS : 0);
      while (requests().length > 0 && performance.now() < end) await sleep(CHECK_MS);
    },
  };
}
