import {
  PGlite,
  type PGliteOptions,
  type QueryOptions,
  type Transaction,
} from "@electric-sql/pglite";

const BYTE_ORDER_MARK = "\ufeff";

/**
 * PGlite decodes each value with a TextDecoder that swallows one leading byte order mark, but content
 * is kept byte for byte (decisions §2). So a text that begins with one is stored with two.
 */
const withSpareMark = (params: unknown[] | undefined) =>
  params?.map((value) =>
    typeof value === "string" && value.startsWith(BYTE_ORDER_MARK)
      ? BYTE_ORDER_MARK + value
      : value,
  );

/** PGlite, but every text comes back as it was stored. */
class WholeTextPglite extends PGlite {
  override query<Row>(statement: string, params?: unknown[], options?: QueryOptions) {
    return super.query<Row>(statement, withSpareMark(params), options);
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>) {
    return super.transaction((tx) => {
      const query: Transaction["query"] = (statement, params, options) =>
        tx.query(statement, withSpareMark(params), options);
      return work(Object.assign(Object.create(tx) as Transaction, { query }));
    });
  }
}

export async function openPglite(options: PGliteOptions): Promise<PGlite> {
  const pglite = new WholeTextPglite(options);
  await pglite.waitReady;
  return pglite;
}
