import type { Hub } from "../context.ts";
import { insertSoul } from "./souls.service.ts";
import { loadStarterSouls } from "./starter-souls.ts";

/** The owner of the starter souls. This account has no password, so no login succeeds. */
const HUB_USERNAME = "soulhub";

/**
 * Publishes the starter souls on a hub without accounts (decisions §7).
 * @returns the number of published souls; 0 on a hub that has an account
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
