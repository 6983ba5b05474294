import { sql } from "kysely";
import { restoreStanding } from "../../accounts/standing/standing.queries.ts";
import type { Db } from "../../db/database.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { releaseSouls } from "../../souls/holds/hold-souls.ts";
import type { Announce, Deed } from "./deed.ts";
import { restoreRemoved } from "./remove-by-staff.ts";
import { setClosed } from "./set-closed.ts";

/** The actions with an effect that lasts. */
const lasting = ["hide_soul", "remove_message", "close_room", "silence", "suspend"] as const;
type Lasting = (typeof lasting)[number];

/**
 * Ends what the decisions of a case did, and nothing that another case decided (0062).
 * @throws HubError those of restoreRemoved
 */
export async function undoDecisions(tx: Db, deed: Deed): Promise<Announce> {
  const undone = await tx
    .updateTable("mod_decisions")
    .set({ undone_at: sql<string>`hub_now()` })
    .where("case_id", "=", deed.subject.id)
    .where("action", "in", lasting)
    .where("undone_at", "is", null)
    .returning(["id", sql<Lasting>`action`.as("action")])
    .execute();
  const announce: (Announce | undefined)[] = [];
  for (const action of new Set(undone.map((decision) => decision.action))) {
    const ids = undone.filter((decision) => decision.action === action).map(({ id }) => id);
    announce.push(await undo[action](tx, deed, ids));
  }
  return () => {
    for (const tell of announce) tell?.();
  };
}

type Undo = (tx: Db, deed: Deed, decisions: number[]) => Promise<Announce | undefined>;

const undo: Readonly<Record<Lasting, Undo>> = {
  async hide_soul(tx, { hub, subject: { soul_id } }) {
    if (soul_id === null || (await isDecided(tx, "hide_soul", "soul_id", soul_id)))
      return undefined;
    await releaseSouls(tx, { soulIds: [soul_id], kind: "moderation" });
    return () => announceHolds(hub, [soul_id]);
  },

  remove_message: restoreRemoved,

  async close_room(tx, { hub, subject: { room_id } }) {
    if (room_id === null || (await isDecided(tx, "close_room", "room_id", room_id)))
      return undefined;
    return setClosed(tx, hub, room_id, false);
  },

  async silence(tx, { subject }, decisions) {
    await lift(tx, subject.account_id, "silence", decisions);
    return undefined;
  },

  async suspend(tx, { hub, subject: { account_id } }, decisions) {
    if (account_id === null || !(await lift(tx, account_id, "suspension", decisions)))
      return undefined;
    const released = await releaseSouls(tx, { ownerId: account_id, kind: "suspension" });
    return () => announceHolds(hub, released);
  },
};

/** Reports whether another decision keeps a soul hidden or a room closed. */
async function isDecided(
  tx: Db,
  action: Lasting,
  column: "soul_id" | "room_id",
  id: number,
): Promise<boolean> {
  const other = await tx
    .selectFrom("mod_decisions")
    .innerJoin("mod_cases", "mod_cases.id", "mod_decisions.case_id")
    .select("mod_decisions.id")
    .where(`mod_cases.${column}`, "=", id)
    .where("action", "=", action)
    .where("undone_at", "is", null)
    .executeTakeFirst();
  return other !== undefined;
}

/** Lifts a restriction that one of these decisions has set. Returns false if another one has. */
async function lift(
  tx: Db,
  accountId: number | null,
  kind: "silence" | "suspension",
  decisions: number[],
): Promise<boolean> {
  if (accountId === null) return false;
  const account = await tx
    .selectFrom("accounts")
    .select(kind)
    .where("id", "=", accountId)
    .forUpdate()
    .executeTakeFirst();
  const decided = account?.[kind]?.decision_id ?? null;
  if (decided === null || !decisions.includes(decided)) return false;
  await restoreStanding(tx, accountId, kind);
  return true;
}
