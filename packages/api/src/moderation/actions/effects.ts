import { silenceAccount, suspendAccount } from "../../accounts/standing/standing.queries.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { holdSouls } from "../../souls/holds/hold-souls.ts";
import type { Action } from "../moderation.schema.ts";
import type { Announce, Deed } from "./deed.ts";
import { removeByStaff } from "./remove-by-staff.ts";
import { setClosed } from "./set-closed.ts";
import { undoDecisions } from "./undo-decisions.ts";

type Effect = (tx: Db, deed: Deed) => Promise<Announce | undefined>;

/** What each action does to the target of a case, within the transaction of the decision (0062). */
export const effects: Readonly<Record<Action, Effect>> = {
  dismiss: async (tx, { subject }) => listAgain(tx, subject.soul_id),
  warn: async (tx, { subject }) => listAgain(tx, subject.soul_id),

  async hide_soul(tx, { hub, subject }) {
    const id = idOf(subject, "soul_id");
    await listAgain(tx, id);
    await holdSouls(tx, { soulIds: [id], kind: "moderation" });
    return () => announceHolds(hub, [id]);
  },

  remove_message: removeByStaff,
  close_room: (tx, { hub, subject }) => setClosed(tx, hub, idOf(subject, "room_id"), true),

  async silence(tx, { subject, decision: { id, ...rest } }) {
    await silenceAccount(tx, idOf(subject, "account_id"), { ...rest, decision_id: id });
    return undefined;
  },

  async suspend(tx, { hub, subject, decision: { id, ...rest } }) {
    const ownerId = idOf(subject, "account_id");
    await suspendAccount(tx, ownerId, { ...rest, decision_id: id });
    const held = await holdSouls(tx, { ownerId, kind: "suspension" });
    return () => {
      hub.rooms.recheckAll({ participantId: `account:${ownerId}` });
      announceHolds(hub, held);
    };
  },

  restore: undoDecisions,
};

/** Staff have seen the reports of a soul, so its listing does not wait for them any more. */
async function listAgain(tx: Db, soulId: number | null): Promise<undefined> {
  if (soulId === null) return;
  await tx.updateTable("souls").set({ is_listed: true }).where("id", "=", soulId).execute();
}

/** @throws HubError `invalid_input` for an action that the case's target does not have */
function idOf(subject: Deed["subject"], column: "soul_id" | "room_id" | "account_id"): number {
  const id = subject[column];
  const isForSouls = column === "soul_id" && subject.kind !== "soul";
  if (id !== null && !isForSouls) return id;
  throw new HubError("invalid_input", {
    details: [{ field: "action", message: "is not possible for this target" }],
  });
}
