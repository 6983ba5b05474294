import { sql } from "kysely";
import type { HubConfig } from "../../context.ts";
import { hashCredential } from "../../credential-hash.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";

type NewAccount = Record<"username" | "username_key" | "email" | "password_hash", string> &
  Record<"api_key_hash" | "api_key_sealed", string> & { [column: string]: unknown };

/** @throws HubError `registration_closed` */
export function assertRegistrationOpen(
  { registration }: HubConfig,
  invite: string | undefined,
): void {
  if (registration === "open" || (registration === "invite" && invite !== undefined)) return;
  throw new HubError("registration_closed");
}

/**
 * Inserts an account. On a hub that needs invites, the same statement takes one use of the invite, so
 * that n uses make n accounts under any concurrency (0058). A taken name gives the use back.
 * @returns the id of the account
 * @throws HubError `invite_invalid`
 */
export async function insertAccount(
  db: Db,
  { registration }: HubConfig,
  { invite, ...account }: NewAccount & { invite: string | undefined },
): Promise<number> {
  if (registration === "open") {
    const { id } = await db
      .insertInto("accounts")
      .values(account)
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }
  const columns = Object.keys(account);
  const { id } = await db
    .with("taken", (taking) =>
      taking
        .updateTable("invites")
        .set({ used: sql<number>`used + 1` })
        .where("code_hash", "=", hashCredential(invite ?? ""))
        .where(sql<boolean>`used < uses and expires_at > hub_now()`)
        .returning("id"),
    )
    .insertInto("accounts")
    .columns(columns as "username"[])
    .expression(sql`select ${sql.join(Object.values(account))} from taken`)
    .returning("id")
    .executeTakeFirstOrThrow(() => new HubError("invite_invalid"));
  return id;
}
