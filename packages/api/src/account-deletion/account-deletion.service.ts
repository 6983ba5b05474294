import { type SqlBool, sql } from "kysely";
import { checkLogin } from "../accounts/accounts.service.ts";
import { checkProof, type Proof } from "../accounts/proof/proof.ts";
import { type AccountContext, participantId } from "../caller/caller.ts";
import { signOutBrowser } from "../caller/guest-cookie.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { mailAccount } from "../mail/mail-account.ts";
import { announceHolds } from "../souls/holds/announce-holds.ts";
import { holdSouls, releaseSouls } from "../souls/holds/hold-souls.ts";
import type { DueAccount } from "./due-account.ts";

/**
 * Closes the caller's account until its deletion: POST /api/delete-account (0063). Its credentials
 * stop working, its souls are hidden, and its rooms refuse every caller.
 * @throws HubError those of checkProof; `unauthenticated` if another call was first
 */
export async function requestDeletion(
  ctx: AccountContext,
  { souls, messages, ...proof }: Proof & Pick<DueAccount, "souls" | "messages">,
) {
  const { hub, db, caller } = ctx;
  const { password_hash } = await checkProof(ctx, proof);
  const { id } = caller.account;
  const { deletes_at, held } = await db.transaction().execute(async (tx) => {
    const closed = await tx
      .updateTable("accounts")
      .set({
        deletes_at: sql<string>`hub_now() + make_interval(days => ${hub.config.deletionGraceDays}::int)`,
      })
      .where("id", "=", id)
      .where("deletes_at", "is", null)
      // A password that changed meanwhile proves nothing any more.
      .where("password_hash", "=", password_hash)
      .returning("deletes_at")
      .executeTakeFirst();
    if (!closed?.deletes_at) throw new HubError("unauthenticated");
    await tx.insertInto("account_deletions").values({ account_id: id, souls, messages }).execute();
    return {
      deletes_at: closed.deletes_at,
      held: await holdSouls(tx, { ownerId: id, kind: "deletion" }),
    };
  });
  announceHolds(hub, held);
  const participant = participantId(caller);
  hub.rooms.recheckAll({ participantId: participant });
  hub.rooms.recheckAll({ ownerId: participant });
  if (caller.kind === "member") signOutBrowser(ctx);
  if (hub.config.deletionGraceDays === 0) {
    hub.inBackground("deleting an account", hub.deleteDueAccounts());
    return { message: "Your account is being deleted.", deletes_at };
  }
  mailAccount(ctx, id, {
    subject: "Your account will be deleted",
    paragraphs: [
      `You asked to delete your account. It is closed now and will be deleted after ${deletes_at} UTC.`,
      "Until then you can undo this with your username and your password.",
    ],
    link: { label: "Keep my account", path: "/undo-deletion" },
  });
  return { message: `Your account will be deleted after ${deletes_at} UTC.`, deletes_at };
}

/**
 * Reopens an account that waits for its deletion: POST /api/undo-deletion (0063). Its souls and
 * rooms become as before. Any other account stays unchanged.
 * @throws HubError those of checkLogin, also once the time is up
 */
export async function undoDeletion(
  ctx: CallContext,
  login: { username: string; password: string },
) {
  const { hub, db } = ctx;
  const { id, password_hash } = await checkLogin(ctx, login);
  const released = await db.transaction().execute(async (tx) => {
    // The sweeper locks the same row, and only that of a due account. The time counts once the lock
    // is there: hub_now() is the begin of the transaction, and the sweeper may have worked since.
    await tx
      .selectFrom("account_deletions")
      .select("account_id")
      .where("account_id", "=", id)
      .forUpdate()
      .execute();
    const undone = await tx
      .deleteFrom("account_deletions")
      .where("account_id", "=", id)
      .where(
        sql<SqlBool>`(select deletes_at > hub_now() + (clock_timestamp() - now())
          from accounts where accounts.id = account_id)`,
      )
      .returning("account_id")
      .executeTakeFirst();
    const account = await tx
      .updateTable("accounts")
      .set({ deletes_at: undone ? null : sql<string | null>`deletes_at` })
      .where("id", "=", id)
      .where("password_hash", "=", password_hash)
      .returning("deletes_at")
      .executeTakeFirst();
    if (!account || account.deletes_at !== null) throw new HubError("wrong_credentials");
    return undone ? releaseSouls(tx, { ownerId: id, kind: "deletion" }) : null;
  });
  if (released === null) return { message: "Your account is not being deleted." };
  announceHolds(hub, released);
  mailAccount(ctx, id, {
    subject: "Your account stays",
    paragraphs: ["The deletion of your account was undone with your password."],
  });
  return { message: "Your account stays. You can sign in again." };
}
