import type { CallContext } from "../context.ts";
import { issueApiKey, openApiKey } from "./api-key.ts";

interface KeyHolder {
  id: number;
  username: string;
  api_key_sealed: string;
}

/**
 * The API key again, for somebody who has just proven the password. One that can't be opened any
 * more (its master key is gone, or the row was touched) is replaced: nobody is locked out for it.
 */
export async function readOrReplaceApiKey(ctx: CallContext, holder: KeyHolder): Promise<string> {
  const { id, username, api_key_sealed } = holder;
  const { vault, log, rooms } = ctx.hub;
  try {
    return openApiKey(vault, username, api_key_sealed);
  } catch (error) {
    log.warn({ err: error, account_id: id }, "a stored API key can't be opened and is replaced");
  }
  const { apiKey, columns } = issueApiKey(vault, username);
  const replaced = await ctx.db
    .updateTable("accounts")
    .set(columns)
    .where("id", "=", id)
    .where("api_key_sealed", "=", api_key_sealed)
    .returning("id")
    .executeTakeFirst();
  if (replaced) {
    // What still listens by the old key ends with it.
    rooms.recheckAll({ participantId: `account:${id}` });
    return apiKey;
  }
  // Another login was faster: its key is the one.
  const { api_key_sealed: sealed } = await ctx.db
    .selectFrom("accounts")
    .select("api_key_sealed")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return openApiKey(vault, username, sealed ?? "");
}
