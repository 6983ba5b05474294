import { z } from "zod";
import { field, message } from "../../fields.schema.ts";
import { admin, router } from "../../trpc/trpc.ts";
import { rotateKeys } from "./rotate-keys.service.ts";

const count = field(z.int().min(0), 0);
const countByKind = z.object({
  api_keys: count,
  session_tokens: count,
  provider_keys: count,
  invites: count,
  evidence: count,
  mails: count,
  deleted_name_keys: count,
});
countByKind.register(z.globalRegistry, { id: "SecretsByKind" });

/** The operator's endpoint that rotates master keys (decisions §5, Envelope). */
export const masterKeysRouter = router({
  rotate: admin
    .meta({
      rest: "POST /admin/rotate-keys",
      summary: "Re-encrypt every stored secret with the first master key",
      description:
        "Requires the operator's ADMIN_TOKEN as Bearer; any other caller gets 404. Afterwards the older keys of MASTER_KEYS can be removed if `unreadable` is 0. Can run beside a live hub and be repeated.",
    })
    .input(z.object({}))
    .output(
      z.object({
        message,
        rewrapped: countByKind,
        unreadable: countByKind.describe(
          "Secrets that no key of MASTER_KEYS decrypts. They stay unchanged.",
        ),
      }),
    )
    .mutation(({ ctx, signal }) => rotateKeys(ctx, signal)),
});
