import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { ghostId } from "../../souls/ghost.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { releaseSouls } from "../../souls/holds/hold-souls.ts";
import { dropUnheld, packagesOf } from "../../souls/packages/packages.queries.ts";
import { dropSoul, withdraw } from "../../souls/souls.service.ts";
import { type DeletionHub, type DeletionStep, DONE, type StepResult } from "../due-account.ts";
import { dropRooms } from "./drop-rooms.ts";

/** Deletes the next soul of the account, or gives it to `ghost`. */
export const clearSouls: DeletionStep = async (tx, { id, souls }, hub) => {
  const soul = await tx
    .selectFrom("souls")
    .select(["id", "domain"])
    // Only the hold of the deletion may hide a kept soul. A soul that staff have hidden is deleted.
    .select(
      sql<boolean>`coalesce(
        (select bool_and(kind = 'deletion' and was_public = 1) from soul_holds
          where soul_id = souls.id),
        is_public = 1)`.as("is_open"),
    )
    .where("user_id", "=", id)
    .orderBy("id")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  if (!soul) return DONE;
  return souls === "keep" && soul.is_open ? keepSoul(tx, soul.id, hub) : deleteSoul(tx, soul, hub);
};

async function deleteSoul(
  tx: Db,
  soul: { id: number; domain: string },
  hub: DeletionHub,
): Promise<StepResult> {
  const rooms = await dropRooms(tx, hub, sql<SqlBool>`id in (select rooms_to_drop(${soul.id}))`);
  if (rooms.hasMore) return rooms;
  await dropSoul(tx, soul);
  return {
    hasMore: true,
    announce: () => {
      withdraw(hub, soul.id);
      hub.rooms.soulChanged(soul.id);
    },
  };
}

/**
 * Gives a soul to the account `ghost`. Removes signatures with a wallet, which name the author, and
 * versions that only the author could read.
 */
async function keepSoul(tx: Db, soulId: number, hub: DeletionHub): Promise<StepResult> {
  const packages = await packagesOf(tx, soulId);
  await tx
    .updateTable("souls")
    .set({ user_id: await ghostId(tx), signature: null })
    .where("id", "=", soulId)
    .execute();
  await tx
    .deleteFrom("soul_versions")
    .where("soul_id", "=", soulId)
    .where((eb) => eb.or([eb("is_public", "=", 0), eb("is_hidden", "=", true)]))
    .execute();
  await tx
    .updateTable("soul_versions")
    .set({ signature: null })
    .where("soul_id", "=", soulId)
    .execute();
  await dropUnheld(tx, packages);
  const released = await releaseSouls(tx, { soulIds: [soulId], kind: "deletion" });
  return { hasMore: true, announce: () => announceHolds(hub, released) };
}
