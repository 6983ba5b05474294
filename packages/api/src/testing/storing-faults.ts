import { createQueryId, type KyselyPlugin, type RootOperationNode } from "kysely";
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
 * can then get lost.
 */
export function withStoringFaults(database: Database): StoringFaults {
  let lost: Lost = "nothing";
  let count = 0;
  const lostStatements: RootOperationNode[] = [];
  const responsesToLose = new WeakSet<object>();
  const lose = () => {
    count++;
    throw new Error("Connection terminated unexpectedly");
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (lost === "nothing" || !isStoring(database, node)) return node;
      if (lost === "statements") {
        lostStatements.push(node);
        lose();
      }
      responsesToLose.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }): Promise<typeof result> {
      if (responsesToLose.has(queryId)) lose();
      return result;
    },
  };
  return {
    database: { ...database, db: database.db.withPlugin(plugin) },
    lose: (what) => {
      lost = what;
    },
    get count() {
      return count;
    },
    async arrive() {
      const executor = database.db.getExecutor();
      for (const node of lostStatements.splice(0))
        await database.db.executeQuery(executor.compileQuery(node, createQueryId()));
    },
  };
}

const isStoring = ({ db }: Database, node: RootOperationNode): boolean =>
  /\bstore_reply\b/.test(db.getExecutor().compileQuery(node, createQueryId()).sql);
