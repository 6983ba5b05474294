import { type Compilable, CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Db } from "./database.ts";
import { markPrepared } from "./drivers/prepared-statements.ts";

/**
 * Compiles a query once, and each connection prepares it once. For frequent queries that find rows
 * by key: compiling and planning one takes longer than its execution (0015).
 * @param build builds the query around its values. It may neither read nor replace them. Optional
 *   parameters are not possible
 * @returns runs the query with other values
 * @throws Error if the query lacks one of its values
 */
export function prepareQuery<Values extends unknown[], Row>(
  db: Db,
  build: (...values: Values) => Compilable<Row>,
): (...values: Values) => Promise<Row[]> {
  const places = Array.from({ length: build.length }, () => Symbol("value"));
  const { sql: text, parameters } = build(...(places as unknown[] as Values)).compile();
  if (places.length === 0 || places.some((place) => !parameters.includes(place)))
    throw new Error(`A value is missing in the query: ${text}`);
  const prepared = markPrepared(text);
  const order = parameters.map((parameter) => places.indexOf(parameter as symbol));
  return async (...values) => {
    const given = parameters.map((constant, nth) => {
      const place = order[nth] ?? -1;
      return place < 0 ? constant : values[place];
    });
    const { rows } = await db.executeQuery(CompiledQuery.raw(prepared, given));
    return rows as Row[];
  };
}

/**
 * An array among the values of a prepared query. PostgreSQL does not know the length of an array
 * from a subquery. It knows the length of a parameter, and would plan a short array anew each time.
 */
export const arrayOf = <Item extends string | number>(
  values: Item[],
  type: "text" | "bigint",
): RawBuilder<Item[]> => sql`array(select unnest(${values}::${sql.raw(type)}[]))`;
