import type { Duplex } from "node:stream";
import pg from "pg";
import { isChange } from "./statement-kind.ts";

type Settle = (error: Error | null, result: pg.QueryResult) => void;
/** What pg says after `query_timeout`. */
const TIMED_OUT = "Query read timeout";

type Connected = { connection: { stream: Duplex } };
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
      ask(prepared(question), values, (error, result) => {
        if (!error) return resolve(result);
        // pg would give the connection back with the query still running, and all that follow on it
        // would wait behind it.
        if (error.message === TIMED_OUT) (this as unknown as Connected).connection.stream.destroy();
        reject(error);
      });
    }) as never;
  }
}

/** Names of statements are kept by every connection, hence the end. No text holds a value, so there are few. */
const MAX_NAMES = 200;
const names = new Map<string, string>();

function prepared(question: unknown): unknown {
  if (typeof question !== "string" || !isChange(question)) return question;
  let name = names.get(question);
  if (!name) {
    if (names.size >= MAX_NAMES) return question;
    name = `change_${names.size}`;
    names.set(question, name);
  }
  return { name, text: question };
}
