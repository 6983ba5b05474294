/** Reads rows in the order of their ids, with one statement for each page. */
export async function* readInPages<Row extends { id: number }>(
  size: number,
  readAfter: (id: number, size: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let page: Row[];
  let after = 0;
  do {
    page = await readAfter(after, size);
    yield* page;
    after = page.at(-1)?.id ?? 0;
  } while (page.length === size);
}
