import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { CallContext } from "../../context.ts";
import { hashCredential } from "../../credential-hash.ts";
import { HubError } from "../../errors.ts";

const CODE_BYTES = 18;
const MAX_INVITES = 1_000;

interface NewInvite {
  uses: number;
  days: number;
  note: string;
}

/**
 * Creates an invite to register: POST /api/admin/invites (0058). The answer is the only one that
 * contains its code.
 * @throws HubError `limit_reached` if 1,000 invites have not expired
 */
export async function createInvite({ db, hub, caller }: CallContext, invite: NewInvite) {
  const code = randomBytes(CODE_BYTES).toString("base64url");
  const { uses, days, note } = invite;
  const row = await db.transaction().execute(async (tx) => {
    const { present } = await tx
      .selectFrom("invites")
      .select(({ fn }) => fn.countAll<number>().as("present"))
      .where("expires_at", ">", sql<string>`hub_now()`)
      .executeTakeFirstOrThrow();
    if (present >= MAX_INVITES) throw new HubError("limit_reached");
    const added = await tx
      .insertInto("invites")
      .values({
        code_hash: hashCredential(code),
        uses,
        note,
        expires_at: sql<string>`hub_now() + make_interval(days => ${days}::int)`,
      })
      .returning(["id", "expires_at"])
      .executeTakeFirstOrThrow();
    await writeAudit(tx, {
      actor: actorOf(caller),
      action: "create-invite",
      target: `invite:${added.id}`,
      detail: { uses, days },
    });
    return added;
  });
  // A browser sends no fragment, so neither logs nor other sites see the code.
  return { ...row, code, url: `${hub.config.baseUrl}/sign-up#invite=${code}` };
}

/** Lists the invites that have not expired, newest first: GET /api/admin/invites. */
export async function listInvites({ db }: CallContext) {
  const data = await db
    .selectFrom("invites")
    .select(["id", "uses", "used", "note", "created_at", "expires_at"])
    .where("expires_at", ">", sql<string>`hub_now()`)
    .orderBy("id", "desc")
    .limit(MAX_INVITES)
    .execute();
  return { count: data.length, data };
}

/**
 * Withdraws an invite: DELETE /api/admin/invites/{id}. Accounts that registered with it stay.
 * @throws HubError `invite_not_found`
 */
export async function withdrawInvite({ db, caller }: CallContext, id: number) {
  await db.transaction().execute(async (tx) => {
    await tx
      .deleteFrom("invites")
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirstOrThrow(() => new HubError("invite_not_found"));
    await writeAudit(tx, {
      actor: actorOf(caller),
      action: "withdraw-invite",
      target: `invite:${id}`,
    });
  });
  return { message: "The invite is withdrawn." };
}
