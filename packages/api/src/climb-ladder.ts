import { getTRPCErrorFromUnknown, type TRPCProcedureType } from "@trpc/server";
import type { DoorContext } from "./context.ts";

/** What goes up from one middleware of a procedure to the next. */
export interface Climb {
  ctx: DoorContext;
  path: string;
  type: TRPCProcedureType;
  meta: unknown;
  input: unknown;
  signal: AbortSignal | undefined;
  batchIndex: number;
  getRawInput: () => Promise<unknown>;
}

type Outcome = { ok: true; data: object } | { ok: false; error: Error };
type Next = (given?: Partial<Pick<Climb, "ctx" | "input" | "getRawInput">>) => Promise<Outcome>;
export type Middleware = (climb: Climb & { next: Next }) => Promise<Outcome>;

/**
 * Calls a procedure: its guard, its input schema, its resolver and its output schema, in the order
 * and with the results of tRPC's own caller (`callRecursive`, 11.25). That one copies the context
 * property by property, descriptor by descriptor, which took a fifth of the time of a read.
 * @throws what the procedure throws, as a TRPCError
 */
export async function climbLadder(ladder: readonly Middleware[], climb: Climb): Promise<object> {
  const outcome = await step(ladder, 0, climb);
  if (!outcome.ok) throw outcome.error;
  return outcome.data;
}

async function step(ladder: readonly Middleware[], at: number, climb: Climb): Promise<Outcome> {
  const next: Next = (given) =>
    step(ladder, at + 1, {
      ...climb,
      ctx: given?.ctx ? { ...climb.ctx, ...given.ctx } : climb.ctx,
      input: given && "input" in given ? given.input : climb.input,
      getRawInput: given?.getRawInput ?? climb.getRawInput,
    });
  try {
    const middleware = ladder[at];
    if (!middleware) throw new Error(`${climb.path} has no resolver.`);
    return await middleware({ ...climb, next });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}
