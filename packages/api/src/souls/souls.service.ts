import { type RawBuilder, sql } from "kysely";
import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import { categorySlugs } from "./categories.ts";
import { moveDomainTag } from "./domain-tags.ts";
import { isOwner, visibleSoul } from "./soul-access.ts";
import { detectFileType } from "./soul-content.ts";

export interface SoulFields {
  title: string;
  description: string;
  content: string;
  role: string;
  domain: string;
  compatibility: string;
  is_public: number;
}

type SoulChanges = { [Field in keyof SoulFields]?: SoulFields[Field] | undefined };

const knownRole = (role: string) => (categorySlugs.has(role) ? role : "Other");
const soulUrl = (ctx: CallContext, id: number) => `${ctx.hub.config.baseUrl}/soul/${id}`;

/** @throws HubError `soul_not_found` */
export async function readSoul(ctx: CallContext, id: number) {
  return { data: await visibleSoul(ctx, id) };
}

/** @throws HubError `invalid_input` */
export async function publishSoul(ctx: AccountContext, fields: SoulFields) {
  const id = await insertSoul(ctx.db, ctx.caller.account.id, fields);
  const done = fields.is_public === 1 ? "is published" : "is saved, for you alone";
  return { message: `“${fields.title}” ${done}.`, id, url: soulUrl(ctx, id) };
}

/** A new soul and its tag's count, together. */
export async function insertSoul(db: Db, userId: number, fields: SoulFields): Promise<number> {
  const values = {
    ...fields,
    user_id: userId,
    role: knownRole(fields.role),
    file_type: detectFileType(fields.content),
  };
  return db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto("souls")
      .values(values)
      .returning("id")
      .executeTakeFirstOrThrow();
    await moveDomainTag(tx, "", fields.domain);
    return id;
  });
}

/**
 * Changes any subset of the fields and keeps what was there as one snapshot (specification §3).
 * @throws HubError `soul_not_found`, `not_owner`
 */
export async function updateSoul(ctx: AccountContext, id: number, changes: SoulChanges) {
  const update = {
    ...changes,
    ...(changes.role === undefined ? {} : { role: knownRole(changes.role) }),
    ...(changes.content === undefined ? {} : { file_type: detectFileType(changes.content) }),
  };
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockOwnSoul(ctx, tx, id);
    await snapshot(tx, id);
    await tx
      .updateTable("souls")
      .set({ ...update, updated_at: now })
      .where("id", "=", id)
      .execute();
    await moveDomainTag(tx, before.domain, changes.domain ?? before.domain);
  });
  if (changes.is_public === 0) ctx.hub.rooms.recheckAll({ roomPrefix: `${id}/` });
  return { message: "The soul is saved. The state before is in its history." };
}

/** @throws HubError `soul_not_found`, `not_owner` */
export async function deleteSoul(ctx: AccountContext, id: number) {
  await ctx.db.transaction().execute(async (tx) => {
    const { domain } = await lockOwnSoul(ctx, tx, id);
    await tx.deleteFrom("souls").where("id", "=", id).execute();
    await moveDomainTag(tx, domain, "");
  });
  ctx.hub.rooms.recheckAll({ roomPrefix: `${id}/` });
  return { message: "The soul is deleted." };
}

const now: RawBuilder<string> = sql<string>`hub_now()`;

/**
 * Locks the row: updates of one soul stand in line, so that each snapshot is a state that was.
 * @throws HubError `soul_not_found` (also for somebody else's private one), `not_owner`
 */
async function lockOwnSoul(ctx: CallContext, tx: Db, id: number) {
  const soul = await tx
    .selectFrom("souls")
    .select(["user_id", "domain", "is_public"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!soul) throw new HubError("soul_not_found");
  if (isOwner(ctx, soul)) return soul;
  throw new HubError(soul.is_public === 1 ? "not_owner" : "soul_not_found");
}

/** Copies the present state into the history, in the database. */
async function snapshot(tx: Db, soulId: number): Promise<void> {
  await tx
    .insertInto("soul_versions")
    .columns([...snapshotColumns, "soul_id"])
    .expression((eb) =>
      eb
        .selectFrom("souls")
        .select([...snapshotColumns, "id as soul_id"])
        .where("id", "=", soulId),
    )
    .execute();
}

const snapshotColumns = [
  "title",
  "description",
  "content",
  "role",
  "domain",
  "compatibility",
  "is_public",
] as const;
