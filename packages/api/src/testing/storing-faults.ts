import { createQueryId, type KyselyPlugin, type RawNode } from "kysely";
import type { Database } from "../db/connect.ts";

/** Of the statements that store an exchange: what gets lost on its way. */
type Lost = "nothing" | "statements" | "answers";

export interface StoringFaults {
  database: Database;
  lose(what: Lost): void;
  /** How many were lost so far. */
  readonly count: number;
  /** The statements that were lost arrive after all, as one does that has waited for a lock meanwhile. */
  arrive(): Promise<void>;
}

/** A database, embedded or not, between which and the hub exchanges get lost. */
export function withStoringFaults(database: Database): StoringFaults {
  let lost: Lost = "nothing";
  let count = 0;
  const underWay: RawNode[] = [];
  const answersToLose = new WeakSet<object>();
  const lose = () => {
    count++;
    throw new Error("Connection terminated unexpectedly");
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (lost === "nothing" || !isStoring(node)) return node;
      if (lost === "statements") {
        underWay.push(node);
        lose();
      }
      answersToLose.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }): Promise<typeof result> {
      if (answersToLose.has(queryId)) lose();
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
      for (const node of underWay.splice(0))
        await database.db.executeQuery(executor.compileQuery(node, createQueryId()));
    },
  };
}

const isStoring = (node: { kind: string }): node is RawNode =>
  node.kind === "RawNode" &&
  /\bstore_(first_)?exchange\b/.test((node as RawNode).sqlFragments[0] ?? "");
