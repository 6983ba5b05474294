import type { AccountContext } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError, invalidField } from "../../errors.ts";
import { changeSoul, textColumns } from "../change-soul.ts";
import { detectFileType } from "../soul-content.ts";
import { assertOwn, lockOwnSoul } from "../soul-lock.ts";
import type { VersionNote } from "../version/version.schema.ts";
import { numberVersions } from "../version/version-number.ts";
import { shownTo } from "./snapshots.queries.ts";
import { openHistory, readState } from "./soul-history.ts";

/**
 * Reads one state of a soul, its present one by default.
 * @throws HubError `soul_not_found`, `version_not_found`, `chain_unavailable`
 */
export async function readVersion(
  ctx: CallContext,
  { soul_id, number }: { soul_id: number; number?: number | undefined },
) {
  const history = await openHistory(ctx, soul_id);
  return { data: shownTo(history.reader, await readState(history, number)) };
}

/**
 * Sets the note of a version, or hides it from other callers. The texts of a version never change.
 * @throws HubError `soul_not_found`, `not_owner`, `version_not_found`; `invalid_input` for hiding the
 *   present version
 */
export async function setVersion(
  ctx: AccountContext,
  { soul_id, number, note, is_hidden }: VersionSettings,
) {
  await ctx.db.transaction().execute(async (tx) => {
    await lockOwnSoul(ctx, tx, soul_id);
    const present = await numberVersions(tx, soul_id);
    if (number > present) throw new HubError("version_not_found");
    if (number < present) {
      const snapshot = tx.updateTable("soul_versions").set({ note, is_hidden });
      await snapshot.where("soul_id", "=", soul_id).where("number", "=", number).execute();
      return;
    }
    if (is_hidden) throw invalidField("is_hidden", PRESENT_IS_SHOWN);
    if (note === undefined) return;
    await tx.updateTable("souls").set({ version_note: note }).where("id", "=", soul_id).execute();
  });
  return { message: "The version is saved." };
}

interface VersionSettings {
  soul_id: number;
  number: number;
  note?: VersionNote | undefined;
  is_hidden?: boolean | undefined;
}

const PRESENT_IS_SHOWN = "the present version cannot be hidden; make the soul private instead";

/**
 * Stores the current state as a snapshot and restores an earlier one. Visibility does not change
 * (decisions §7).
 * @param note the note of the new state; by default it names the restored version
 * @throws HubError `soul_not_found`, `not_owner`, `version_not_found`
 */
export async function restoreVersion(
  ctx: AccountContext,
  {
    soul_id,
    version_id,
    note,
  }: { soul_id: number; version_id: number; note?: VersionNote | undefined },
) {
  const made = await ctx.db.transaction().execute(async (tx) => {
    await lockOwnSoul(ctx, tx, soul_id);
    await numberVersions(tx, soul_id);
    const snapshot = await tx
      .selectFrom("soul_versions")
      .select([...textColumns, "number", "package_id"])
      .where("id", "=", version_id)
      .where("soul_id", "=", soul_id)
      .executeTakeFirstOrThrow(() => new HubError("version_not_found"));
    const { number, package_id, ...texts } = snapshot;
    const restored = {
      ...texts,
      file_type: detectFileType(texts.content),
      note: note === undefined ? `Restored from version ${number}.` : note,
    };
    const changer = ctx.caller.account.id;
    const { version } = assertOwn(ctx, await changeSoul(tx, { id: soul_id, changer }, restored));
    await tx.updateTable("souls").set({ package_id }).where("id", "=", soul_id).execute();
    return version;
  });
  ctx.hub.rooms.soulChanged(soul_id);
  return {
    message: "The version is restored. The previous state is in the history.",
    version: made,
  };
}
