import type { Hub } from "../context.ts";
import { insertSoul } from "./souls.service.ts";
import { loadStarterSouls } from "./starter-souls.ts";

/** The account that the starter souls belong to. It has no password: nobody signs in to it. */
const HUB_USERNAME = "soulhub";

/**
 * Fills a hub that nobody has used yet, so that browsing and talking work at once (decisions §7).
 * @returns how many souls were published: 0 on any hub that has an account already
 */
export async function publishStarterSouls({ database: { db } }: Hub): Promise<number> {
  const known = await db.selectFrom("accounts").select("id").limit(1).executeTakeFirst();
  if (known) return 0;
  const souls = await loadStarterSouls();
  const { id } = await db
    .insertInto("accounts")
    .values({ username: HUB_USERNAME, username_key: HUB_USERNAME })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const soul of souls) {
    await insertSoul(db, id, { ...soul, is_public: 1, nft_contract: null });
  }
  return souls.length;
}
