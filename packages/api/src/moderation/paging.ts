import { z } from "zod";
import { field, id } from "../fields.schema.ts";
import { count } from "../souls/souls.schema.ts";

/** The input of a list that is read page by page (0062). */
export const pageFields = {
  cursor: field(z.int().min(0).optional(), 41, "`next_cursor` of the page before."),
  limit: field(z.int().min(1).max(100).default(50), 50),
};

/** The output of such a list. */
export const pageOf = <Row extends z.ZodObject>(row: Row) =>
  z.object({ count, data: z.array(row), next_cursor: field(id.optional(), 41) });

export type Page = z.infer<z.ZodObject<typeof pageFields>>;

/** Makes the answer of a list from at most `limit + 1` rows. */
export function toPage<Row extends { id: number }>(rows: readonly Row[], limit: number) {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return {
    count: data.length,
    data,
    ...(rows.length > limit && last && { next_cursor: last.id }),
  };
}
