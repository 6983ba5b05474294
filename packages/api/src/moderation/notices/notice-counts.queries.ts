import { sql } from "kysely";
import type { Hub } from "../../context.ts";

/** Counts the unseen notices of an account, and the cases that its holder may decide (0062). */
export const createNoticeCounts =
  ({ database: { db } }: Pick<Hub, "database">): Hub["countNotices"] =>
  async ({ id, role, suspension }) => {
    const isStaff = role !== "member" && !suspension;
    return db
      .selectFrom("accounts")
      .select(
        sql<number>`(select count(*)::int from mod_decisions where account_id = accounts.id
          and action <> 'dismiss' and mod_decisions.id > notices_seen_to)`.as("unread_notices"),
      )
      .$if(isStaff, (accounts) =>
        accounts.select(
          sql<number>`(select count(*)::int from mod_cases where state in ('open', 'appealed')
            and account_id is distinct from accounts.id)`.as("open_cases"),
        ),
      )
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  };
