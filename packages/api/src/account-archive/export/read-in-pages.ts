import { type SelectQueryBuilder, sql } from "kysely";
import type { Tables } from "../../db/database.ts";

/** Reads the rows of a query in the order of their ids, with one statement for each page. */
export async function* readInPages<Table extends keyof Tables, Row extends { id: number }>(
  size: number,
  query: SelectQueryBuilder<Tables, Table, Row>,
): AsyncGenerator<Row> {
  const pages = query.orderBy(sql`id`).limit(size);
  let page: Row[];
  let after = 0;
  do {
    page = await pages.where(sql<boolean>`id > ${after}`).execute();
    yield* page;
    after = page.at(-1)?.id ?? 0;
  } while (page.length === size);
}
