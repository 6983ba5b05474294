import { z } from "zod";
import { message } from "../../fields.schema.ts";
import { admin, router } from "../../trpc.ts";
import { rotateKeys } from "./rotate-keys.service.ts";

const count = z
  .int()
  .min(0)
  .meta({ examples: [0] });
const countByKind = z.object({ api_keys: count, session_tokens: count, provider_keys: count });

/** For the operator (decisions §5, Envelope). */
export const masterKeysRouter = router({
  rotate: admin
    .meta({
      rest: {
        method: "POST",
        path: "/admin/rotate-keys",
        tag: "Operator",
        summary: "Seal every stored secret anew with the first master key",
        description:
          "Needs the operator's ADMIN_TOKEN as Bearer; for everybody else this address does not exist. Afterwards the older keys of MASTER_KEYS can be taken away, unless `unreadable` counts some. Safe beside a running hub, and harmless when repeated.",
      },
    })
    .input(z.object({}))
    .output(
      z.object({
        message,
        rewrapped: countByKind,
        unreadable: countByKind.meta({
          description: "Opened by no key of the ring, and left as they are.",
        }),
      }),
    )
    .mutation(({ ctx, signal }) => rotateKeys(ctx, signal)),
});
