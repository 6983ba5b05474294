import { sql } from "kysely";
import { effectiveRestriction } from "../../accounts/standing/standing.queries.ts";
import { moderationOf } from "../../caller/assert-standing.ts";
import type { Role } from "../../caller/role.schema.ts";
import type { CallContext } from "../../context.ts";

const MAX_PEOPLE = 200;

/**
 * Lists the hub's staff and the people under a restriction, or finds one person by the username:
 * GET /api/mod/people (0062). The partial index of migration 0025 answers the list.
 */
export async function listPeople({ db }: CallContext, username: string | undefined) {
  const [suspension, silence] = [
    effectiveRestriction("suspension"),
    effectiveRestriction("silence"),
  ];
  const rows = await db
    .selectFrom("accounts")
    .select(["username", "created_at", suspension.as("suspension"), silence.as("silence")])
    .select(sql<Role>`role`.as("role"))
    // The hub's own accounts, which have no password, are no people.
    .where("password_hash", "is not", null)
    .where(
      username === undefined
        ? sql<boolean>`(role <> 'member' or suspension is not null or silence is not null)
            and (role <> 'member' or ${suspension} is not null or ${silence} is not null)`
        : sql<boolean>`username_key = ${username.toLowerCase()}`,
    )
    .orderBy("username_key")
    .limit(MAX_PEOPLE)
    .execute();
  const data = rows.map(({ created_at, suspension: suspended, silence: silenced, ...person }) => ({
    ...person,
    joined_at: created_at,
    moderation: moderationOf({ suspension: suspended, silence: silenced }),
  }));
  return { count: data.length, data };
}
