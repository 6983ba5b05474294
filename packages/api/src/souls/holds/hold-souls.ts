import type { Db } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";
import type { HoldKind } from "./soul-hold.entity.ts";

/** The souls to hold or release: those of a list, or all souls of an account. */
type HeldSouls = { kind: HoldKind } & ({ soulIds: readonly number[] } | { ownerId: number });

/**
 * Makes souls private until they are released, within a given transaction (0061). A soul that has
 * this hold keeps it. After the commit, pass the ids to `announceHolds`.
 * @returns the ids of the souls that were public until now
 */
export const holdSouls = (tx: Db, souls: HeldSouls): Promise<number[]> => move(tx, "hold", souls);

/**
 * Ends a hold of souls, within a given transaction (0061). A soul without a further hold becomes as
 * visible as it was before its first one. After the commit, pass the ids to `announceHolds`.
 * @returns the ids of the souls that are public again
 */
export const releaseSouls = (tx: Db, souls: HeldSouls): Promise<number[]> =>
  move(tx, "release", souls);

async function move(tx: Db, step: "hold" | "release", souls: HeldSouls): Promise<number[]> {
  const moved = await callFunction<{ id: number }>(tx, `${step}_souls`, {
    soul_ids: "soulIds" in souls ? souls.soulIds : null,
    of_owner: "ownerId" in souls ? souls.ownerId : null,
    of_kind: souls.kind,
  });
  return moved.map(({ id }) => id);
}
