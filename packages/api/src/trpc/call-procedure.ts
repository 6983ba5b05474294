import { getTRPCErrorFromUnknown, type TRPCProcedureType } from "@trpc/server";
import type { RequestContext } from "../context.ts";

/** The argument that each middleware of a procedure gets, without `next`. */
export interface ProcedureCall {
  ctx: RequestContext;
  path: string;
  type: TRPCProcedureType;
  meta: unknown;
  input: unknown;
  signal: AbortSignal | undefined;
  batchIndex: number;
  getRawInput: () => Promise<unknown>;
}

type Outcome = { ok: true; data: object } | { ok: false; error: Error };
type Next = (
  given?: Partial<Pick<ProcedureCall, "ctx" | "input" | "getRawInput">>,
) => Promise<Outcome>;
export type Middleware = (call: ProcedureCall & { next: Next }) => Promise<Outcome>;

/**
 * Runs a procedure's middlewares, input schema, resolver and output schema. Their order and results
 * are those of tRPC's own caller (`callRecursive`, 11.25). That caller copies the context by
 * property descriptors, which took a fifth of the time of a read.
 * @throws TRPCError with the original error as its cause
 */
export async function callProcedure(
  middlewares: readonly Middleware[],
  call: ProcedureCall,
): Promise<object> {
  const outcome = await step(middlewares, 0, call);
  if (!outcome.ok) throw outcome.error;
  return outcome.data;
}

async function step(
  middlewares: readonly Middleware[],
  at: number,
  call: ProcedureCall,
): Promise<Outcome> {
  const next: Next = (given) =>
    step(middlewares, at + 1, {
      ...call,
      ctx: given?.ctx ? { ...call.ctx, ...given.ctx } : call.ctx,
      input: given && "input" in given ? given.input : call.input,
      getRawInput: given?.getRawInput ?? call.getRawInput,
    });
  try {
    const middleware = middlewares[at];
    if (!middleware) throw new Error(`${call.path} has no resolver.`);
    return await middleware({ ...call, next });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}
