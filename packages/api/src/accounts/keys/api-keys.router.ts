import { z } from "zod";
import { keyScope } from "../../caller/key-scopes.schema.ts";
import { field, givenTime, id, message, utcTime } from "../../fields.schema.ts";
import { member, router } from "../../trpc/trpc.ts";
import { apiKey, givenName, givenPassword } from "../accounts.schema.ts";
import { createNamedKey, listApiKeys, renameNamedKey, revokeNamedKey } from "./api-keys.service.ts";

const keyName = givenName("laptop");
const keyId = field(z.int().min(0), 3, "0 is the main key.");

/** A key in a list. No answer but that of its creation contains the key itself. */
const shownKey = z.object({
  id: keyId,
  name: field(z.string(), "laptop"),
  prefix: field(z.string(), "shk_8fQ2", "The first eight characters of the key."),
  scopes: field(z.array(keyScope), ["chat"]),
  created_at: utcTime,
  last_used_at: field(utcTime.nullable(), "2026-01-31 12:00:00", "Exact to a minute."),
  expires_at: field(utcTime.nullable(), null, "Null: never. An expired key is listed for 30 days."),
  is_main: field(z.boolean(), false, "True for the key of register and login."),
});
shownKey.register(z.globalRegistry, { id: "ApiKey" });

/** Named API keys with scopes (0050). */
export const apiKeysRouter = router({
  keys: member("main")
    .meta({
      rest: "GET /keys",
      summary: "List your API keys",
      description: "The main key first, then the named keys, newest first.",
    })
    .output(z.object({ keys: z.array(shownKey) }))
    .query(({ ctx }) => listApiKeys(ctx)),

  createKey: member("main")
    .meta({
      rest: "POST /keys",
      summary: "Create a named API key",
      description:
        "The answer is the only one that contains the key. An account may have 50 named keys that have not expired.",
      failures: ["wrong_password", "too_many_keys", "rate_limited", "overloaded"],
    })
    .input(
      z.object({
        name: keyName,
        scopes: field(
          z.array(keyScope).min(1).max(20),
          ["chat"],
          "What the key may do. Public reads need no scope.",
        ),
        expires_at: givenTime("In the future, at most 5 years from now. Null: never.")
          .nullable()
          .default(null),
        password: givenPassword,
      }),
    )
    .output(z.object({ message, api_key: apiKey, key: shownKey }))
    .mutation(({ ctx, input }) => createNamedKey(ctx, input)),

  renameKey: member("main")
    .meta({
      rest: "PUT /keys",
      summary: "Rename a named API key",
      failures: ["api_key_not_found"],
    })
    .input(z.object({ id, name: keyName }))
    .output(z.object({ message: field(message, "The key is renamed.") }))
    .mutation(({ ctx, input }) => renameNamedKey(ctx, input)),

  // The service refuses a named key that revokes another one.
  revokeKey: member("public")
    .meta({
      rest: "DELETE /keys",
      summary: "Revoke a named API key",
      description:
        "The key stops working at once, and live connections that use it end within a minute. Without `id`: the named key of this call. A named key can revoke no other key. The main key cannot be revoked; `POST /api/api-key/rotate` replaces it.",
      failures: ["api_key_not_found", "scope_missing"],
    })
    .input(z.object({ id: keyId.optional().describe("Without it: the named key of this call.") }))
    .output(z.object({ message: field(message, "The key “laptop” is revoked.") }))
    .mutation(({ ctx, input }) => revokeNamedKey(ctx, input.id)),
});
