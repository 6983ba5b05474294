/** Connections of one kind, and how one of them is asked to go elsewhere. */
interface Group<Member> {
  members: () => Iterable<Member>;
  ask: (member: Member) => void;
}

/** Moves the people of a server that stops to the others, without a gap and not all at once. */
export interface HandOver {
  add<Member>(group: Group<Member>): void;
  /** Resolves when they have gone, or have had their time. At once when nobody is there. */
  run(): Promise<void>;
}

/** One after the other: each comes back with all its subscriptions, and reads what it missed. */
const EACH_MS = 10;
/** Realtime design, Stop: however many there are. */
const SPREAD_MS = 4_000;
/** How long the last ones, and those who don't understand, may take to go. */
const PATIENCE_MS = 1_500;
const LOOK_MS = 50;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** @param isPatient false: everybody is asked at once, and nobody is waited for */
export function createHandOver(isPatient: boolean): HandOver {
  const groups: Group<unknown>[] = [];
  const asks = () =>
    groups.flatMap(({ members, ask }) => [...members()].map((member) => () => ask(member)));

  return {
    add: (group) => void groups.push(group as Group<unknown>),
    async run() {
      const waiting = asks();
      const each = isPatient ? Math.min(EACH_MS, SPREAD_MS / waiting.length) : 0;
      const start = performance.now();
      for (const [n, ask] of waiting.entries()) {
        const early = start + n * each - performance.now();
        if (early >= 1) await sleep(early);
        ask();
      }
      const end = performance.now() + (isPatient ? PATIENCE_MS : 0);
      while (asks().length > 0 && performance.now() < end) await sleep(LOOK_MS);
    },
  };
}
