import { sql } from "kysely";
import {
  type AccountContext,
  type Caller,
  participantId,
  scopeMissing,
} from "../../caller/caller.ts";
import { type KeyScope, keyScopes } from "../../caller/key-scopes.schema.ts";
import type { CallContext } from "../../context.ts";
import { hashCredential } from "../../credential-hash.ts";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import { mailAccount } from "../../mail/mail-account.ts";
import { keyCreated } from "../account-mails.ts";
import { readKeyHolder } from "../api-key.service.ts";
import { createApiKey, openApiKey } from "../api-key.ts";
import { assertOwnPassword } from "../passwords/password-rules.ts";
import { isLive, scopesOf } from "./named-keys.queries.ts";

/** Named keys of an account that have not expired. */
const MAX_LIVE_KEYS = 50;
/** The longest lifetime of a key with an expiry time. */
const MAX_YEARS = 5;
const PREFIX_CHARS = 8;
/** The id of the main key in lists. Ids of named keys begin at 1. */
const MAIN_KEY_ID = 0;

const shownColumns = [
  "id",
  "name",
  "prefix",
  "scopes",
  "created_at",
  "last_used_at",
  "expires_at",
] as const;

type KeyRow = Record<"name" | "prefix" | "scopes" | "created_at", string> &
  Record<"last_used_at" | "expires_at", string | null> & { id: number };

const toShown = ({ scopes, ...row }: KeyRow) => {
  const granted = scopesOf(scopes);
  return { ...row, scopes: keyScopes.filter((scope) => granted.has(scope)), is_main: false };
};

/** Lists the main key, then the named keys, newest first. No answer contains a key itself. */
export async function listApiKeys(ctx: AccountContext) {
  const { db, caller } = ctx;
  const main = await db
    .selectFrom("accounts")
    .select(["username", "api_key_sealed", "api_key_used_at as last_used_at"])
    .select(sql<string>`coalesce(api_key_created_at, created_at)`.as("created_at"))
    .where("id", "=", caller.account.id)
    .executeTakeFirstOrThrow();
  const named = await db
    .selectFrom("api_keys")
    .select(shownColumns)
    .where("account_id", "=", caller.account.id)
    .orderBy("id", "desc")
    .execute();
  const { username, api_key_sealed, ...times } = main;
  const mainKey = {
    id: MAIN_KEY_ID,
    name: "Main key",
    prefix: mainPrefix(ctx, username, api_key_sealed ?? ""),
    scopes: [...keyScopes],
    ...times,
    expires_at: null,
    is_main: true,
  };
  return { keys: [mainKey, ...named.map(toShown)] };
}

/** A main key that cannot be decrypted is replaced at the next login; until then it has no prefix. */
function mainPrefix({ hub }: CallContext, username: string, sealed: string): string {
  try {
    return openApiKey(hub.vault, username, sealed).slice(0, PREFIX_CHARS);
  } catch {
    return "";
  }
}

interface NewKey {
  name: string;
  scopes: readonly KeyScope[];
  /** ISO 8601; null for a key that never expires. */
  expires_at: string | null;
  password: string;
}

/**
 * Creates a named key and returns it, the only time that it is shown. The password is needed with
 * every credential, so that a stolen key or an unattended browser makes no further keys.
 * @throws HubError `invalid_input`, `wrong_password`, `too_many_keys`, `rate_limited`, `overloaded`
 */
export async function createNamedKey(
  ctx: AccountContext,
  { name, scopes, expires_at, password }: NewKey,
) {
  const holder = await readKeyHolder(ctx);
  await assertOwnPassword(ctx, holder, password);
  const apiKey = createApiKey();
  const row = await ctx.db.transaction().execute(async (tx) => {
    await lockProven(tx, holder);
    await assertFewKeys(tx, ctx.caller.account.id);
    return tx
      .insertInto("api_keys")
      .values({
        account_id: ctx.caller.account.id,
        name,
        prefix: apiKey.slice(0, PREFIX_CHARS),
        key_hash: hashCredential(apiKey),
        scopes: keyScopes.filter((scope) => scopes.includes(scope)).join(" "),
        expires_at: await checkedExpiry(tx, expires_at),
      })
      .returning(shownColumns)
      .executeTakeFirstOrThrow();
  });
  mailAccount(ctx, ctx.caller.account.id, keyCreated(name));
  return {
    message: "This is your new API key. It is shown only now.",
    api_key: apiKey,
    key: toShown(row),
  };
}

/**
 * Locks an account whose owner has proven to send the call, so that simultaneous calls of
 * one account follow one another.
 * @throws HubError `wrong_password` if the password has changed since it was verified: that change
 *   may have revoked all keys, and no new one may outlive it
 */
export const lockProven = (
  tx: Db,
  { id, password_hash }: { id: number; password_hash: string | null },
) =>
  tx
    .selectFrom("accounts")
    .select("email")
    .where("id", "=", id)
    .where("password_hash", "=", password_hash)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new HubError("wrong_password"));

/** Counts the live keys of a locked account. */
async function assertFewKeys(tx: Db, accountId: number): Promise<void> {
  const { live } = await tx
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("live"))
    .where("account_id", "=", accountId)
    .where(isLive)
    .executeTakeFirstOrThrow();
  if (live >= MAX_LIVE_KEYS) throw new HubError("too_many_keys");
}

/** The database clock decides, as it does at each use of the key. */
async function checkedExpiry(tx: Db, expiresAt: string | null): Promise<string | null> {
  if (expiresAt === null) return null;
  const { rows } = await sql<{ is_future: boolean; is_near: boolean }>`
    select ${expiresAt}::timestamptz > hub_now() as is_future,
      ${expiresAt}::timestamptz <= hub_now() + make_interval(years => ${MAX_YEARS}::int) as is_near`.execute(
    tx,
  );
  if (!rows[0]?.is_future) throw invalidField("expires_at", "must be in the future");
  if (!rows[0].is_near) throw invalidField("expires_at", `must be within ${MAX_YEARS} years`);
  return expiresAt;
}

/** @throws HubError `api_key_not_found` */
export async function renameNamedKey(
  { db, caller }: AccountContext,
  { id, name }: { id: number; name: string },
) {
  await db
    .updateTable("api_keys")
    .set({ name })
    .where("id", "=", id)
    .where("account_id", "=", caller.account.id)
    .returning("id")
    .executeTakeFirstOrThrow(() => new HubError("api_key_not_found"));
  return { message: "The key is renamed." };
}

/**
 * Revokes a named key, which stops working at once. A named key may revoke itself alone, whatever
 * its scopes, so that a program can log out.
 * @param id undefined for the key of this call
 * @throws HubError `api_key_not_found`, `scope_missing`; `invalid_input` for the main key
 */
export async function revokeNamedKey(ctx: AccountContext, id: number | undefined) {
  const own = namedKeyOf(ctx.caller);
  if (own !== undefined && id !== undefined && id !== own) throw scopeMissing();
  const revoked = id ?? own ?? MAIN_KEY_ID;
  if (revoked === MAIN_KEY_ID) {
    throw invalidField("id", "is required; the main key is replaced with POST /api/api-key/rotate");
  }
  const { name } = await ctx.db
    .deleteFrom("api_keys")
    .where("id", "=", revoked)
    .where("account_id", "=", ctx.caller.account.id)
    .returning("name")
    .executeTakeFirstOrThrow(() => new HubError("api_key_not_found"));
  // Disconnects the subscriptions that were authenticated by this key.
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  return { message: `The key “${name}” is revoked.` };
}

const namedKeyOf = (caller: Caller): number | undefined =>
  caller.kind === "key" ? caller.named?.id : undefined;
