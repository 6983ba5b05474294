import type { Caller } from "../../caller/caller.ts";
import type { OnDelta, RequestContext } from "../../context.ts";
import { appRouter } from "../../router.ts";
import { rateRuleOf } from "../../trpc/call-cost.ts";

/** One request to `/mcp`: its caller, and the procedures that its tools call. */
export interface McpCall {
  ctx: RequestContext;
  caller: Caller;
  /** Aborts if the client disconnects. */
  disconnected: AbortSignal;
}

export type Procedures = ReturnType<typeof proceduresFor>;

/** Returns the hub's procedures for the caller of a request. They check access, scopes and input. */
export const proceduresFor = ({ ctx, disconnected }: McpCall, onDelta?: OnDelta) =>
  appRouter.createCaller(onDelta ? { ...ctx, onDelta } : ctx, { signal: disconnected });

/** Counts a writing call. The transport has counted the request as a read already. */
export const countAsWrite = ({ ctx, caller }: McpCall): Promise<void> | undefined =>
  ctx.limit(caller, rateRuleOf(undefined, "mutation")) as Promise<void> | undefined;
