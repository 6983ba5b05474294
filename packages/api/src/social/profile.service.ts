import { sql } from "kysely";
import { isShown } from "../accounts/standing/shown-account.queries.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { listColumns, toListEntry } from "../souls/soul.queries.ts";

/** Maximum number of listed souls, newest first (decisions §2, Lists). */
const MAX_SOULS = 100;

/**
 * Reads the public profile of an account. Private souls are neither listed nor counted (decisions §7).
 * @throws HubError `user_not_found`, also for a suspended account and one that is being deleted (0062, 0063)
 */
export async function readProfile({ db }: CallContext, username: string) {
  const account = await db
    .selectFrom("accounts")
    .select(["id", "username", "created_at"])
    .where("username_key", "=", username.toLowerCase())
    .where(isShown)
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
  const published = db
    .selectFrom("souls")
    .where("souls.user_id", "=", account.id)
    .where("souls.is_public", "=", 1)
    .where("souls.is_listed", "=", true);
  const [stats, souls] = await Promise.all([
    published
      .select(({ fn }) => [
        fn.countAll<number>().as("total_souls"),
        sql<number>`coalesce(sum(like_count), 0)::bigint`.as("total_likes"),
        sql<number>`coalesce(sum(fork_count), 0)::bigint`.as("total_forks"),
      ])
      .executeTakeFirstOrThrow(),
    published
      .innerJoin("accounts", "accounts.id", "souls.user_id")
      .select(listColumns)
      .orderBy("souls.id", "desc")
      .limit(MAX_SOULS)
      .execute(),
  ]);
  return {
    user: { username: account.username, joined_at: account.created_at },
    stats,
    souls: souls.map(toListEntry),
  };
}
