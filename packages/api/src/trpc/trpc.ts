import { initTRPC } from "@trpc/server";
import type { KeyNeed } from "../caller/key-scopes.schema.ts";
import type { RequestContext } from "../context.ts";
import { isStorageFull } from "../db/database-errors.ts";
import { HubError } from "../errors.ts";
import { checkCall } from "./check-call.ts";
import { trpcErrorCodeOf } from "./error-codes.ts";
import type { HubMeta } from "./procedure-meta.ts";
import { completeContext, runTracked } from "./run-call.ts";
import { toHubError } from "./to-hub-error.ts";

declare module "../context.ts" {
  interface RequestContext {
    /**
     * The results of the checks that the transport ran before it read the body. The index is that
     * of the call in the batch. A result is the error of a refused call, or null for an allowed
     * call. A call without a result is checked by its procedure.
     */
    refusals?: readonly (HubError | null | undefined)[] | undefined;
  }
}

const t = initTRPC
  .context<RequestContext>()
  .meta<HubMeta>()
  .create({
    isServer: true,
    isDev: false,
    errorFormatter({ error, shape, ctx }) {
      const failure = toHubError(error);
      const body = failure.toBody(ctx?.requestId ?? "");
      const { success: _, message, ...data } = body;
      const { status } = failure;
      const code = trpcErrorCodeOf(status);
      return {
        code: code.number,
        message,
        data: { ...data, code: code.name, path: shape.data.path, httpStatus: status },
      };
    },
    sse: {
      ping: { enabled: true, intervalMs: 10_000 },
      client: { reconnectAfterInactivityMs: 20_000 },
    },
  });

export const router = t.router;
/** Joins routers of one slice, whose endpoints are in two folders. */
export const mergeRouters = t.mergeRouters;

const procedure = t.procedure.use(async ({ ctx, meta, type, batchIndex, getRawInput, next }) => {
  const refusal = ctx.refusals?.[batchIndex];
  if (refusal) throw refusal;
  const isChecked = refusal === null || ctx.transport === "rest";
  if (!isChecked) await checkCall(ctx, { type, meta });
  const known = await completeContext(ctx, { type, meta }, await getRawInput());
  const result = await runTracked(ctx.hub, type, () => next({ ctx: known }));
  if (!result.ok && isStorageFull(result.error)) ctx.hub.storage.foundFull();
  return result;
});

/**
 * A procedure that only callers with an account may call. The type of `ctx.caller` contains the
 * account.
 */
const withAccount = procedure.use(({ ctx, next }) => {
  if (!("account" in ctx.caller)) throw new HubError("unauthenticated");
  return next({ ctx: { caller: ctx.caller } });
});

// Each level takes the scope that a named key needs, so that no procedure can forget it (0050).
export const open = (need: KeyNeed) => procedure.meta({ access: "open", need });
export const member = (need: KeyNeed) => withAccount.meta({ access: "member", need });
export const keyHolder = (need: KeyNeed) => withAccount.meta({ access: "keyHolder", need });
export const participantOnly = (need: KeyNeed) => procedure.meta({ access: "participant", need });
export const passHolder = (need: KeyNeed) => procedure.meta({ access: "passHolder", need });
export const passHolderAccount = (need: KeyNeed) =>
  withAccount.meta({ access: "passHolder", need });
export const sessionOrPass = (need: KeyNeed) => withAccount.meta({ access: "sessionOrPass", need });
export const reader = (need: KeyNeed) => procedure.meta({ access: "reader", need });
export const staff = () => withAccount.meta({ access: "staff", need: "main" });
export const adminOrOperator = () => procedure.meta({ access: "adminOrOperator", need: "main" });
export const admin = procedure.meta({ access: "admin" });
