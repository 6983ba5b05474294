/**
 * Reads by id, gathered: all ids asked for in one turn of the event loop go in one query.
 * Nothing is kept between turns, so nothing can be stale; and the same id asked for twice
 * in a turn is read once (architecture, Data).
 */
export function batchedRead<Id, Row>(
  readMany: (ids: Id[]) => Promise<Map<Id, Row>>,
  maxBatch = 500,
): (id: Id) => Promise<Row | undefined> {
  let waiting: Map<Id, PromiseWithResolvers<Row | undefined>> | null = null;

  return (id) => {
    if (!waiting || waiting.size >= maxBatch) {
      const batch = new Map<Id, PromiseWithResolvers<Row | undefined>>();
      waiting = batch;
      setImmediate(() => {
        if (waiting === batch) waiting = null;
        readMany([...batch.keys()]).then(
          (rows) => {
            for (const [key, { resolve }] of batch) resolve(rows.get(key));
          },
          (error) => {
            for (const { reject } of batch.values()) reject(error);
          },
        );
      });
    }
    const known = waiting.get(id);
    if (known) return known.promise;
    const pending = Promise.withResolvers<Row | undefined>();
    waiting.set(id, pending);
    return pending.promise;
  };
}

/** The same for reads that are named by a key: equal questions of one turn are asked once. */
export function sharedRead<Result>(): (
  key: string,
  read: () => Promise<Result>,
) => Promise<Result> {
  const asked = new Map<string, Promise<Result>>();
  return (key, read) => {
    let answer = asked.get(key);
    if (!answer) {
      answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        // From here on the query runs; whoever asks later gets a newer answer.
        asked.delete(key);
        return read();
      });
      asked.set(key, answer);
    }
    return answer;
  };
}
