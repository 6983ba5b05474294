import { readdir } from "node:fs/promises";
import type { Row } from "./row.ts";

const ROW_FILE = /^b(\d\d)-[\w-]+\.ts$/;

/**
 * Returns the benchmark's rows with the given ids, such as B4 and B11, or all rows, in ascending
 * order.
 */
export async function findRows(names: string[]): Promise<Row[]> {
  const files = (await readdir(import.meta.dirname)).filter((name) => ROW_FILE.test(name)).sort();
  const idOf = (file: string) => `B${Number(ROW_FILE.exec(file)?.[1])}`;
  const wanted = names.map((name) => name.toUpperCase());
  const unknown = wanted.filter((id) => !files.some((file) => idOf(file) === id));
  if (unknown.length > 0) {
    throw new Error(`There is no ${unknown.join(", ")}, but ${files.map(idOf).join(", ")}.`);
  }
  const chosen = files.filter((file) => wanted.length === 0 || wanted.includes(idOf(file)));
  return Promise.all(chosen.map(async (file) => ((await import(`./${file}`)) as { row: Row }).row));
}
