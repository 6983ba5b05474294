import { z } from "zod";
import type { CallContext } from "../../context.ts";
import { readShelf, type ShelfSoul } from "../../social/shelf.service.ts";
import { listSouls } from "../../souls/list-souls.service.ts";
import { countAsSearch } from "../../trpc/call-cost.ts";
import { parseModelName, toModel } from "./model-names.ts";

const MAX_LIMIT = 1_000;

/** The query of GET /v1/models. Its values are texts. */
export const modelsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(200),
  /** The id of the last model of the page before. */
  after: z.string().max(300).optional(),
  q: z.string().max(1_000).default(""),
});

/** Lists the shelf as models; with `q`, the souls that a search finds. */
export async function listModels(
  ctx: CallContext,
  { limit, after, q }: z.output<typeof modelsQuery>,
) {
  const souls = q.trim() ? await search(ctx, q) : await readShelf(ctx);
  const lastId = after === undefined ? undefined : parseModelName(after)?.soulId;
  const start = souls.findIndex(({ id }) => id === lastId) + 1;
  const data = souls.slice(start, start + limit).map(toModel);
  return {
    object: "list" as const,
    data,
    has_more: start + limit < souls.length,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** A search reaches its first 1,000 matches (decisions §2, Lists). */
async function search(ctx: CallContext, q: string): Promise<ShelfSoul[]> {
  await countAsSearch(ctx);
  const { data } = await listSouls(ctx, { q, role: "", limit: MAX_LIMIT, offset: 0 });
  return data;
}
