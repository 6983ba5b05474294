import type { CompiledQuery, QueryResult } from "kysely";
import type { Database } from "../db/database.ts";

/**
 * The part of the database's traffic that fails while the hub stores a message and its reply: SQL
 * statements, or the responses to them.
 */
type Lost = "nothing" | "statements" | "responses";

export interface StoringFaults {
  database: Database;
  lose(what: Lost): void;
  /** Number of SQL statements and database responses that were lost so far. */
  readonly count: number;
  /** Executes the lost SQL statements late, as a database does after a wait for a lock. */
  arrive(): Promise<void>;
}

/**
 * Wraps a database. The statements that store an exchange of message and reply, or their responses,
 * can then get lost. Statements of a transaction are never lost; the hub stores replies without one.
 */
export function withStoringFaults(database: Database): StoringFaults {
  let lost: Lost = "nothing";
  let count = 0;
  // Its own executor: tests share that of the database.
  const db = database.db.withoutPlugins();
  const executor = db.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  const lostStatements: CompiledQuery[] = [];
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    if (lost === "nothing" || !/\bstore_(?:held_reply|line)\(/.test(query.sql))
      return execute(query);
    if (lost === "statements") lostStatements.push(query);
    else await execute(query);
    count++;
    throw new Error("Connection terminated unexpectedly");
  };
  return {
    database: { ...database, db },
    lose: (what) => {
      lost = what;
    },
    get count() {
      return count;
    },
    async arrive() {
      for (const query of lostStatements.splice(0)) await execute(query);
    },
  };
}
