import { z } from "zod";
import { message } from "../../fields.schema.ts";
import { keyHolder, router } from "../../trpc.ts";
import { keyChange, provider, shownKey } from "./byok.schema.ts";
import { deleteKey, listKeys } from "./byok.service.ts";
import { saveKey } from "./save-key.service.ts";

const tag = "Own provider keys";
const path = "/byok";

/** Decisions §5, BYOK. */
export const byokRouter = router({
  save: keyHolder
    .meta({
      rest: {
        method: "PUT",
        path,
        tag,
        summary: "Save a provider's key, or change what is stored of one",
        description:
          "The key is tried with one cheap call and kept only where the provider takes it. Without `api_key` the stored entry is changed; fields that are left out stay as they are.",
        failures: ["byok_key_rejected", "provider_failed"],
        statuses: { byok_key_rejected: 400 },
      },
    })
    .input(keyChange)
    .output(z.object({ message, key: shownKey }))
    .mutation(({ ctx, input, signal }) => saveKey(ctx, input, signal)),

  list: keyHolder
    .meta({
      rest: {
        method: "GET",
        path,
        tag,
        summary: "List your stored keys, never the keys themselves",
      },
    })
    .output(z.object({ keys: z.array(shownKey) }))
    .query(({ ctx }) => listKeys(ctx)),

  delete: keyHolder
    .meta({
      rest: {
        method: "DELETE",
        path,
        tag,
        summary: "Delete a stored key",
        description: "`provider` may also come in a JSON body. Harmless where there is no key.",
      },
    })
    .input(z.object({ provider }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => deleteKey(ctx, input.provider)),
});
