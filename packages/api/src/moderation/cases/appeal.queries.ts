import { sql } from "kysely";
import type { z } from "zod";
import type { appeal } from "../moderation.schema.ts";

/** SQL: the appeal against a row of `mod_decisions`; null without one. */
export const appealColumn = sql<z.infer<typeof appeal> | null>`case when appealed_at is not null
  then json_build_object('text', appeal_text, 'outcome', appeal_outcome,
    'created_at', to_char(appealed_at, 'YYYY-MM-DD HH24:MI:SS')) end`.as("appeal");
