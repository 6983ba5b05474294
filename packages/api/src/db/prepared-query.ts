import { type Compilable, CompiledQuery } from "kysely";
import type { Db } from "./database.ts";
import { markPrepared } from "./drivers/prepared-statements.ts";

/**
 * Compiles a query once, and each connection prepares it once. For frequent queries that find rows
 * by key: compiling and planning one takes longer than its execution (0015).
 * @param build builds the query around its values, which it may only hand to the query
 * @returns runs the query with other values
 */
export function prepareQuery<Values extends unknown[], Row>(
  db: Db,
  build: (...values: Values) => Compilable<Row>,
): (...values: Values) => Promise<Row[]> {
  const places = Array.from({ length: build.length }, () => Symbol("value"));
  const { sql, parameters } = build(...(places as unknown[] as Values)).compile();
  const text = markPrepared(sql);
  const order = parameters.map((parameter) => places.indexOf(parameter as symbol));
  return async (...values) => {
    const given = parameters.map((constant, nth) => {
      const place = order[nth] ?? -1;
      return place < 0 ? constant : values[place];
    });
    const { rows } = await db.executeQuery(CompiledQuery.raw(text, given));
    return rows as Row[];
  };
}
