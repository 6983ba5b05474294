import type { SqlBool } from "kysely";
import { sql } from "kysely";
import { effectiveRestriction } from "./standing.queries.ts";

/**
 * SQL: whether others see an account: it is neither suspended nor being deleted (0062, 0063). The
 * profile of any other account is 404.
 */
export const isShown = sql<SqlBool>`(accounts.deletes_at is null and ${effectiveRestriction("suspension")} is null)`;
