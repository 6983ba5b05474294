import { z } from "zod";
import { message } from "../../fields.schema.ts";
import { keyHolder, router } from "../../trpc/trpc.ts";
import { keyChange, provider, shownKey } from "./byok.schema.ts";
import { deleteKey, listKeys } from "./byok.service.ts";
import { saveKey } from "./save-key.service.ts";

/** The endpoints for own provider keys (decisions §5, BYOK). */
export const byokRouter = router({
  save: keyHolder("main")
    .meta({
      rest: "PUT /byok",
      summary: "Save or change a provider key",
      description:
        "The key is checked with one cheap call and saved only if the provider accepts it. Without `api_key` the stored entry is changed; omitted fields keep their values.",
      failures: ["byok_key_rejected", "provider_failed"],
      statuses: { byok_key_rejected: 400 },
    })
    .input(keyChange)
    .output(z.object({ message, key: shownKey }))
    .mutation(({ ctx, input, signal }) => saveKey(ctx, input, signal)),

  list: keyHolder("account:read")
    .meta({
      rest: "GET /byok",
      summary: "List your stored keys, without the keys themselves",
    })
    .output(z.object({ keys: z.array(shownKey) }))
    .query(({ ctx }) => listKeys(ctx)),

  delete: keyHolder("main")
    .meta({
      rest: "DELETE /byok",
      summary: "Delete a stored key",
      description: "`provider` may also be sent in a JSON body. Succeeds without a stored key.",
    })
    .input(z.object({ provider }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => deleteKey(ctx, input.provider)),
});
