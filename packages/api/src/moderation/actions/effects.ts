import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { invalidField } from "../../errors.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { holdSouls } from "../../souls/holds/hold-souls.ts";
import type { Action } from "../moderation.schema.ts";
import type { Announce, Deed } from "./deed.ts";
import { removeByStaff } from "./remove-by-staff.ts";
import { setClosed } from "./set-closed.ts";
import { applyStrictest, type RestrictingAction } from "./strictest.ts";
import { undoDecisions } from "./undo-decisions.ts";

type Effect = (tx: Db, deed: Deed) => Promise<Announce | undefined>;

/** What each action does to the target of a case, within the transaction of the decision (0062). */
export const effects: Readonly<Record<Action, Effect>> = {
  dismiss: async () => undefined,
  warn: async () => undefined,

  async hide_soul(tx, { hub, subject }) {
    const id = idOf(subject, "soul_id");
    await holdSouls(tx, { soulIds: [id], kind: "moderation" });
    return () => announceHolds(hub, [id]);
  },

  remove_message: removeByStaff,
  close_room: (tx, { hub, subject }) => setClosed(tx, hub, idOf(subject, "room_id"), true),

  async silence(tx, deed) {
    await restrict(tx, deed, "silence");
    return undefined;
  },

  async suspend(tx, deed) {
    const { hub } = deed;
    const ownerId = await restrict(tx, deed, "suspend");
    const held = await holdSouls(tx, { ownerId, kind: "suspension" });
    return () => {
      hub.rooms.recheckAll({ participantId: `account:${ownerId}` });
      announceHolds(hub, held);
    };
  },

  restore: undoDecisions,
};

/**
 * Restricts the account of a case. The decision replaces an earlier one of its case, and not those
 * of other cases. Accounts without a password are the hub's own.
 * @throws HubError `invalid_input` for an account that is no person's
 */
async function restrict(tx: Db, { subject, decision }: Deed, action: RestrictingAction) {
  const accountId = idOf(subject, "account_id");
  const own = await tx
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", accountId)
    .where("password_hash", "is", null)
    .executeTakeFirst();
  if (own) throw notPossible();
  await tx
    .updateTable("mod_decisions")
    .set({ undone_at: sql<string>`hub_now()` })
    .where("case_id", "=", subject.id)
    .where("action", "=", action)
    .where("id", "<>", decision.id)
    .where("undone_at", "is", null)
    .execute();
  await applyStrictest(tx, accountId, action);
  return accountId;
}

/** @throws HubError `invalid_input` for an action that the case's target does not have */
function idOf(subject: Deed["subject"], column: "soul_id" | "room_id" | "account_id"): number {
  const id = subject[column];
  const kind = { soul_id: "soul", room_id: "room", account_id: subject.kind }[column];
  if (id !== null && subject.kind === kind) return id;
  throw notPossible();
}

const notPossible = () => invalidField("action", "is not possible for this target");
