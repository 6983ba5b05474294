/**
 * Batches reads by id: the ids requested in one turn of the event loop go into one query. An id
 * requested twice in a turn is read once. Results are not cached beyond the turn (0003).
 */
export function createDataLoader<Id, Row>(
  loadMany: (ids: Id[]) => Promise<Map<Id, Row>>,
  maxBatchSize = 500,
): (id: Id) => Promise<Row | undefined> {
  let open: Map<Id, PromiseWithResolvers<Row | undefined>> | null = null;

  return (id) => {
    if (!open || open.size >= maxBatchSize) {
      const batch = new Map<Id, PromiseWithResolvers<Row | undefined>>();
      open = batch;
      setImmediate(() => {
        if (open === batch) open = null;
        loadMany([...batch.keys()]).then(
          (rows) => {
            for (const [key, { resolve }] of batch) resolve(rows.get(key));
          },
          (error) => {
            for (const { reject } of batch.values()) reject(error);
          },
        );
      });
    }
    const pending = open.get(id) ?? Promise.withResolvers<Row | undefined>();
    open.set(id, pending);
    return pending.promise;
  };
}

/** Runs equal reads of one turn of the event loop once. A key names a read with its parameters. */
export function createSingleFlight<Result>(): (
  key: string,
  run: () => Promise<Result>,
) => Promise<Result> {
  const pending = new Map<string, Promise<Result>>();
  return (key, run) => {
    let result = pending.get(key);
    if (!result) {
      result = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        // From now on a call starts a new read, because this one may miss rows that are stored later.
        pending.delete(key);
        return run();
      });
      pending.set(key, result);
    }
    return result;
  };
}
