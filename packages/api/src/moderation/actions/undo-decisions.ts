import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { releaseSouls } from "../../souls/holds/hold-souls.ts";
import type { Announce, Deed } from "./deed.ts";
import { restoreRemoved } from "./remove-by-staff.ts";
import { setClosed } from "./set-closed.ts";
import { applyStrictest } from "./strictest.ts";

/** The actions with a lasting effect, in the order of their locks (0062). */
const lasting = ["silence", "suspend", "hide_soul", "close_room", "remove_message"] as const;
type Lasting = (typeof lasting)[number];

/**
 * Ends the effects of the decisions of a case, but no effect of another case (0062). A removal
 * whose sealed text is gone stays in effect.
 * @throws HubError `invalid_input` if there is nothing to take back and no appeal to grant;
 *   `message_not_found` if the only effect is a removal, and its text is gone
 */
export async function undoDecisions(tx: Db, deed: Deed): Promise<Announce> {
  const undone = await tx
    .updateTable("mod_decisions")
    .set({ undone_at: sql<string>`hub_now()` })
    .where("case_id", "=", deed.subject.id)
    .where("action", "in", deed.only ? [deed.only] : lasting)
    .where("undone_at", "is", null)
    .returning(["id", sql<Lasting>`action`.as("action")])
    .execute();
  if (undone.length === 0 && deed.subject.state !== "appealed") {
    throw invalidField("action", "has nothing to take back");
  }
  const actions = lasting.filter((action) => undone.some((decision) => decision.action === action));
  const announce: (Announce | undefined)[] = [];
  for (const action of actions) {
    const tell = await undo[action](tx, deed);
    if (tell !== "lost") announce.push(tell);
    else if (actions.length > 1) await keep(tx, undone, action);
    else throw textIsGone();
  }
  return () => {
    for (const tell of announce) tell?.();
  };
}

/** Leaves the decisions of an action in effect. */
const keep = (tx: Db, undone: { id: number; action: Lasting }[], action: Lasting) =>
  tx
    .updateTable("mod_decisions")
    .set({ undone_at: null })
    .where(
      "id",
      "in",
      undone.filter((decision) => decision.action === action).map(({ id }) => id),
    )
    .execute();

const textIsGone = () =>
  new HubError("message_not_found", {
    message: "The text of this message was deleted when the time for an appeal had passed.",
  });

type Undo = (tx: Db, deed: Deed) => Promise<Announce | "lost" | undefined>;

const undo: Readonly<Record<Lasting, Undo>> = {
  async hide_soul(tx, { hub, subject: { soul_id } }) {
    if (soul_id === null || (await isDecided(tx, "hide_soul", soul_id))) return undefined;
    await releaseSouls(tx, { soulIds: [soul_id], kind: "moderation" });
    return () => announceHolds(hub, [soul_id]);
  },

  remove_message: restoreRemoved,

  async close_room(tx, { hub, subject: { room_id } }) {
    if (room_id === null || (await isDecided(tx, "close_room", room_id))) return undefined;
    return setClosed(tx, hub, room_id, false);
  },

  async silence(tx, { subject: { account_id } }) {
    if (account_id !== null) await applyStrictest(tx, account_id, "silence");
    return undefined;
  },

  async suspend(tx, { hub, subject: { account_id } }) {
    if (account_id === null || (await applyStrictest(tx, account_id, "suspend"))) return undefined;
    const released = await releaseSouls(tx, { ownerId: account_id, kind: "suspension" });
    return () => announceHolds(hub, released);
  },
};

/** What the actions on souls and rooms change. */
const changed = {
  hide_soul: { table: "souls", column: "mod_cases.soul_id" },
  close_room: { table: "chat_rooms", column: "mod_cases.room_id" },
} as const;

/** Reports whether another decision keeps a soul hidden or a room closed. */
async function isDecided(tx: Db, action: keyof typeof changed, id: number): Promise<boolean> {
  const { table, column } = changed[action];
  // Restores of two cases at once: the later one reads that the earlier decision is undone.
  await sql`select id from ${sql.table(table)} where id = ${id} for update`.execute(tx);
  const other = await tx
    .selectFrom("mod_decisions")
    .innerJoin("mod_cases", "mod_cases.id", "mod_decisions.case_id")
    .select("mod_decisions.id")
    .where(column, "=", id)
    .where("action", "=", action)
    .where("undone_at", "is", null)
    .executeTakeFirst();
  return other !== undefined;
}
