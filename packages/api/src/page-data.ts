import { z } from "zod";
import type { Hub } from "./context.ts";
import { countPageRead, soulAt } from "./link-previews.ts";
import { categories } from "./souls/categories.ts";
import { listSouls } from "./souls/list-souls.service.ts";
import { soulListEntry, soul as soulShape } from "./souls/souls.schema.ts";

type Soul = z.infer<typeof soulShape>;

/**
 * What a page's first look asks the hub for, in the words of the procedures: it comes within the
 * page, so that nobody waits for a second answer. Only what everybody may see, whoever asks.
 */
export interface PageData {
  categories?: { count: number; data: (typeof categories)[number][] };
  souls?: { count: number; total: number; data: z.infer<typeof soulListEntry>[] };
  soul?: { data: Soul };
}

/** As many as the front page shows before anybody asks for more. */
const FRONT_PAGE_SOULS = 24;

const shownList = z.array(soulListEntry);

/**
 * Of an address without a query; nothing where it is about nothing that everybody may see.
 * @throws HubError `rate_limited`
 */
export async function readPageData(hub: Hub, pathname: string, ip: string): Promise<PageData> {
  if (pathname === "/") {
    await countPageRead(hub, ip);
    return { categories: allCategories(), souls: await readFrontPage(hub) };
  }
  const [, place, id = "", ...more] = pathname.split("/");
  const isRoom = place === "chat" && more.length === 1;
  if (!isRoom && (place !== "soul" || more.length > 0)) return {};
  // A soul's own page has been counted as such.
  if (isRoom) await countPageRead(hub, ip);
  const soul = await readOpenSoul(hub, id);
  if (!soul) return {};
  return isRoom ? { soul } : { categories: allCategories(), soul };
}

const allCategories = () => ({ count: categories.length, data: [...categories] });

async function readFrontPage(hub: Hub) {
  const question = { q: "", role: "", limit: FRONT_PAGE_SOULS, offset: 0 };
  const { data, ...counts } = await listSouls({ hub, db: hub.database.db }, question);
  return { ...counts, data: shownList.parse(data) };
}

/** A private soul is like none; a gated one shows its text to some alone. */
async function readOpenSoul(hub: Hub, idText: string): Promise<{ data: Soul } | undefined> {
  const soul = await soulAt(hub, idText);
  if (soul?.is_public !== 1 || soul.nft_contract !== null) return undefined;
  return { data: soulShape.parse(soul) };
}
