import type { Hub } from "../../context.ts";

/**
 * Reads why a soul is hidden, for its author (0062): the newest decision in effect. Null for a soul
 * that its author hides.
 */
export const createSoulModeration =
  ({ database: { db } }: Pick<Hub, "database">): Hub["moderationOfSoul"] =>
  async (soulId) => {
    const decision = await db
      .selectFrom("mod_decisions")
      .innerJoin("mod_cases", "mod_cases.id", "mod_decisions.case_id")
      .select(["reason", "message", "mod_decisions.id as decision_id", "appeal_until"])
      .where("mod_cases.soul_id", "=", soulId)
      .where("action", "=", "hide_soul")
      .where("undone_at", "is", null)
      .orderBy("mod_decisions.id", "desc")
      .executeTakeFirst();
    return decision ? { state: "hidden", ...decision } : null;
  };
