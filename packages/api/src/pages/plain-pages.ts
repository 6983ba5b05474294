import { markdownOf } from "@soul-hub/soul-formats";
import type { Hub } from "../context.ts";
import { miniApps } from "../mini-apps/catalogue.ts";
import { readOpenShelf, type ShelfSoul } from "../social/shelf.service.ts";
import { countPageRead, openSoulAt } from "./link-previews.ts";

/** The number of souls in an overview of the hub. */
const OVERVIEW_SOULS = 50;

/** What a program that reads text finds on the hub. The texts of souls are from users. */
export interface HubOverview {
  apps: { slug: string; title: string; description: string }[];
  /** Popular souls that everyone may read. */
  souls: ShelfSoul[];
}

/**
 * Reads the mini apps and the most popular souls.
 * @throws HubError `rate_limited`
 */
export async function readOverview(hub: Hub, ip: string): Promise<HubOverview> {
  await countPageRead(hub, ip);
  const souls = await readOpenShelf({ hub, db: hub.database.db });
  return {
    apps: [...miniApps.values()].map(({ entry }) => entry),
    souls: souls.slice(0, OVERVIEW_SOULS),
  };
}

/**
 * Reads a soul as Markdown, like the export in the format `md`. Returns undefined for a soul that
 * is private, gated or missing.
 * @throws HubError `rate_limited`
 */
export async function readSoulMarkdown(
  hub: Hub,
  { idText, ip }: { idText: string; ip: string },
): Promise<string | undefined> {
  await countPageRead(hub, ip);
  const soul = await openSoulAt(hub, idText);
  return soul && markdownOf(soul);
}
