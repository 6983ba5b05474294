import type { Duplex } from "node:stream";
import pg from "pg";
import type { BeginStatement } from "../statement-watch.ts";
import { isPrepared } from "./prepared-statements.ts";

type Callback = (error: Error | null, result: pg.QueryResult) => void;
type Query = (query: unknown, values: unknown, callback: Callback) => void;
type Connected = { connection: { stream: Duplex } };

/**
 * Maximum number of prepared statements per connection. Few exist, since no statement's text
 * contains a value.
 */
const MAX_NAMES = 200;

interface PostgresClientConfig extends pg.ClientConfig {
  namesStatements?: boolean;
  onStatement?: BeginStatement;
}

const textOf = (query: unknown): string =>
  typeof query === "string" ? query : ((query as Partial<pg.QueryConfig>).text ?? "");

/** The message of pg's error after `query_timeout`. */
const TIMED_OUT = "Query read timeout";

/**
 * A pg client that sets the callback of an awaited query before it queues the query. pg itself sets
 * the callback later. V8 then retains each query and its rows until the next full collection.
 */
export class PostgresClient extends pg.Client {
  readonly #namesStatements: boolean;
  readonly #begin: BeginStatement | undefined;
  /** The names of this connection's prepared statements, by their text. */
  readonly #names = new Map<string, string>();

  /**
   * @param config `namesStatements: false` sends every statement without a name. A pooler without
   *   support for prepared statements gives the next statement another server connection (0032).
   *   `onStatement` is told of every statement.
   */
  constructor(config: PostgresClientConfig = {}) {
    super(config);
    this.#begin = config.onStatement;
    this.#namesStatements = config.namesStatements ?? true;
  }

  // The return type is `never`, because the overloads of pg's signature would repeat all its types.
  override query(query: unknown, values?: unknown, callback?: unknown): never {
    const send = super.query.bind(this) as unknown as Query;
    const isSubmittable = typeof (query as Partial<pg.Submittable>).submit === "function";
    if (isSubmittable || typeof values === "function" || callback) {
      return send(query, values, callback as Callback) as never;
    }
    const end = this.#begin?.(textOf(query));
    return new Promise<pg.QueryResult>((resolve, reject) => {
      send(this.#prepare(query), values, (error, result) => {
        end?.(error, result?.rowCount ?? 0);
        if (!error) return resolve(result);
        // A connection whose query timed out is closed. Otherwise pg would return it to the pool
        // while the query still runs. Later queries would then wait for that query.
        if (error.message === TIMED_OUT) (this as unknown as Connected).connection.stream.destroy();
        reject(error);
      });
    }) as never;
  }

  #prepare(query: unknown): unknown {
    if (!this.#namesStatements || typeof query !== "string" || !isPrepared(query)) return query;
    let name = this.#names.get(query);
    if (!name) {
      if (this.#names.size >= MAX_NAMES) return query;
      name = `hub_${this.#names.size}`;
      this.#names.set(query, name);
    }
    return { name, text: query };
  }
}
