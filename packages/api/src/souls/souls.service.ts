import { shareAccount } from "../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../caller/caller.ts";
import type { CallContext, Hub } from "../context.ts";
import type { Db } from "../db/database.ts";
import { callFunction } from "../db/sql-functions.ts";
import { transact } from "../db/transact.ts";
import { HubError } from "../errors.ts";
import { categorySlugs } from "./categories.ts";
import { changeSoul, type SoulChanges, type SoulFields } from "./change-soul.ts";
import { ghostId } from "./ghost.ts";
import { holdNewSoul } from "./holds/hold-new-soul.ts";
import { dropUnheld, packagesOf, sha256 } from "./packages/packages.queries.ts";
import { detectFileType } from "./soul-content.ts";
import { assertOwn, lockOwnSoul } from "./soul-lock.ts";
import type { VersionNote } from "./version/version.schema.ts";

export const knownRole = (role: string) => (categorySlugs.has(role) ? role : "Other");
export const soulUrl = (ctx: CallContext, id: number) => `${ctx.hub.config.baseUrl}/soul/${id}`;

/**
 * Decrements the counter of one domain tag and increments that of another. An empty domain has no
 * counter (decisions §2).
 */
async function moveDomainTag(tx: Db, from: string, to: string): Promise<void> {
  if (from !== to) await callFunction(tx, "move_domain_tag", { former: from, present: to });
}

/**
 * Publishes a soul for the caller.
 * @throws HubError `invalid_input` if the content is a folder with an unsafe file name
 */
export async function publishSoul(ctx: AccountContext, fields: NewSoul) {
  const id = await insertSoul(ctx.db, ctx.caller.account.id, fields);
  const done = fields.is_public === 1 ? "is published" : "is saved as private";
  return { message: `“${fields.title}” ${done}.`, id, url: soulUrl(ctx, id) };
}

interface NewSoul extends SoulFields {
  /** The note of the first version. */
  note?: VersionNote;
  forked_from?: number;
  /** The package that the soul brings along (0052). */
  package_id?: number | null;
}

/** Inserts a soul and counts its domain tag in one transaction. Returns the id. */
export const insertSoul = (db: Db, userId: number, fields: NewSoul): Promise<number> =>
  db.transaction().execute(async (tx) => {
    await shareAccount(tx, userId);
    return addSoul(tx, userId, fields);
  });

/**
 * Inserts a soul and counts its domain tag, within a given transaction. The soul of an account that
 * is suspended or being deleted is held at once (0061). Returns the id.
 */
export async function addSoul(
  tx: Db,
  userId: number,
  { note = null, ...fields }: NewSoul,
): Promise<number> {
  const { id } = await tx
    .insertInto("souls")
    .values({
      ...fields,
      user_id: userId,
      version_note: note,
      role: knownRole(fields.role),
      file_type: detectFileType(fields.content),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await moveDomainTag(tx, "", fields.domain);
  await holdNewSoul(tx, id, userId);
  return id;
}

interface Update extends SoulChanges {
  note: VersionNote;
  /** The SHA-256 of the content that the caller expects the soul to have. */
  expected_sha256?: string | undefined;
}

/**
 * Changes any subset of the fields and stores the state before as a snapshot (specification §3).
 * `note` describes the new state.
 * @throws HubError `soul_not_found`, `not_owner`, `invalid_input`, `soul_changed`
 */
export async function updateSoul(
  ctx: AccountContext,
  id: number,
  { note, expected_sha256, ...changes }: Update,
) {
  const update = {
    ...changes,
    note,
    ...(changes.role === undefined ? {} : { role: knownRole(changes.role) }),
    ...(changes.content === undefined ? {} : { file_type: detectFileType(changes.content) }),
  };
  const change = (db: Db) => changeSoul(db, { id, changer: ctx.caller.account.id }, update);
  const before = assertOwn(
    ctx,
    expected_sha256 === undefined
      ? await change(ctx.db)
      : await ctx.db.transaction().execute(async (tx) => {
          await lockOwnSoul(ctx, tx, id);
          await assertContent(tx, id, expected_sha256);
          return change(tx);
        }),
  );
  const isGated = changes.nft_contract && changes.nft_contract !== before.nft_contract;
  if (changes.is_public === 0 || isGated) withdraw(ctx.hub, id);
  ctx.hub.rooms.soulChanged(id);
  return {
    message: "The soul is saved. Its previous state is in the history.",
    version: before.version,
  };
}

/**
 * Checks whether the caller may change a soul now, and changes nothing.
 * @throws HubError `soul_not_found`, `not_owner`, `soul_changed`
 */
export const assertChangeable = (
  ctx: AccountContext,
  id: number,
  expected: string | undefined,
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    await lockOwnSoul(ctx, tx, id);
    if (expected !== undefined) await assertContent(tx, id, expected);
  });

/** @throws HubError `soul_changed` if the soul's content is not the expected one */
async function assertContent(tx: Db, id: number, expected: string): Promise<void> {
  const { content } = await tx
    .selectFrom("souls")
    .select("content")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (sha256(content) !== expected) throw new HubError("soul_changed");
}

/**
 * Deletes a soul and ends the subscriptions to its rooms.
 * @throws HubError `soul_not_found`, `not_owner`
 */
export async function deleteSoul(ctx: AccountContext, id: number) {
  await transact(ctx.db, async (tx) => dropSoul(tx, await lockOwnSoul(ctx, tx, id)));
  withdraw(ctx.hub, id);
  ctx.hub.rooms.soulChanged(id);
  return { message: "The soul is deleted." };
}

/**
 * Deletes a locked soul with its versions and packages, and the rooms in which nobody but its author
 * has written. The other rooms stay: their people read on, under the last title that they could read
 * (0076). Then call {@link withdraw}.
 */
export async function dropSoul(tx: Db, { id, domain }: { id: number; domain: string }) {
  const packages = await packagesOf(tx, id);
  await callFunction(tx, "drop_soul", { of_soul: id, ghost: await ghostId(tx) });
  await dropUnheld(tx, packages);
  await moveDomainTag(tx, domain, "");
}

/** Ends the public use of a soul that became private, gated or deleted. Runs after the commit. */
export function withdraw(
  { rooms, inBackground, dropGuestSoul }: Pick<Hub, "rooms" | "inBackground" | "dropGuestSoul">,
  id: number,
): void {
  rooms.recheckAll({ roomPrefixes: [`${id}/`] });
  inBackground("dropping a guest soul", dropGuestSoul(id));
}
