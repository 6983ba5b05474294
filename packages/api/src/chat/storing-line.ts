import { HubError } from "../errors.ts";

/** So many finished replies are stored at a time; the others wait in order. */
export interface StoringLine {
  /** @throws HubError `overloaded` when its turn doesn't come in time */
  run<Stored>(store: () => Promise<Stored>, patienceMs: number): Promise<Stored>;
}

/**
 * When very many replies end at once, what they write would take every connection, and questions
 * wait 5 s for one at most (docs/decisions/0015).
 */
export function createStoringLine(places: number): StoringLine {
  const waiting: Array<() => void> = [];
  let free = places;

  const turn = (patienceMs: number) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(new HubError("overloaded"));
      }, patienceMs);
      waiting.push(start);
    });

  return {
    async run(store, patienceMs) {
      if (free > 0) free--;
      else await turn(patienceMs);
      try {
        return await store();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
