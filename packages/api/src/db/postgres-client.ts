import pg from "pg";

type Settle = (error: Error | null, result: pg.QueryResult) => void;
type Query = (question: unknown, values: unknown, settle: Settle) => void;

/**
 * pg's client, but a query that is awaited is asked with a callback from the start. pg itself adds the
 * callback to the query later, and V8 then keeps each such query, and all its rows, until its next
 * full collection: memory grows by everything that is read, and each small collection copies it.
 */
export class PostgresClient extends pg.Client {
  // The overloads of pg's own signature can't be repeated here without repeating its types.
  override query(question: unknown, values?: unknown, settle?: unknown): never {
    const ask = super.query.bind(this) as unknown as Query;
    const isSubmittable = typeof (question as Partial<pg.Submittable>).submit === "function";
    if (isSubmittable || typeof values === "function" || settle) {
      return ask(question, values, settle as Settle) as never;
    }
    return new Promise<pg.QueryResult>((resolve, reject) => {
      ask(question, values, (error, result) => (error ? reject(error) : resolve(result)));
    }) as never;
  }
}
