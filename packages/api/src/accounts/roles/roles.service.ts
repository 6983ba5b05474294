import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { Role } from "../../caller/role.schema.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";

/**
 * Sets the role of an account: PUT /api/admin/role (0057). The operator alone gives roles, so that a
 * stolen browser makes no admins.
 * @throws HubError `user_not_found`
 */
export async function setRole(
  { db, caller }: CallContext,
  { username, role }: { username: string; role: Role },
) {
  return db.transaction().execute(async (tx) => {
    const account = await tx
      .selectFrom("accounts")
      .select(["id", "username", "role"])
      .where("username_key", "=", username.toLowerCase())
      // The hub's own accounts, which have no password, are no people.
      .where("password_hash", "is not", null)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
    if (account.role !== role) {
      await tx.updateTable("accounts").set({ role }).where("id", "=", account.id).execute();
      await writeAudit(tx, {
        actor: actorOf(caller),
        action: "set-role",
        target: `account:${account.id}`,
        detail: { from: account.role, to: role },
      });
    }
    return { message: `${account.username} is ${role === "admin" ? "an" : "a"} ${role}.`, role };
  });
}
