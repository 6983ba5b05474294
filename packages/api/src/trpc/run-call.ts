import type { TRPCProcedureType } from "@trpc/server";
import type { CallContext, Hub, RequestContext } from "../context.ts";
import { isStorageFull } from "../db/database-errors.ts";
import { HubError } from "../errors.ts";
import { assertAllowed, type ProcedureKind } from "./check-call.ts";
import { assertWellFormed } from "./well-formed.ts";

/** Checks a call together with its input, and returns the fields that the call's context gains. */
export async function completeContext(
  ctx: RequestContext,
  kind: ProcedureKind,
  input: unknown,
): Promise<Pick<CallContext, "caller" | "db">> {
  const caller = await ctx.identify();
  // Calls over plain HTTP were counted and authorized before their body was read. Meanwhile the
  // account may have been suspended, and REST has not checked CSRF yet.
  assertAllowed(ctx, caller, kind);
  assertWellFormed(input);
  return { caller, db: ctx.hub.database.db };
}

/**
 * Runs a call. Upkeep waits until no call came for a while; maintenance waits for running mutations.
 * @throws HubError `storage_full`, `maintenance`
 */
export async function runTracked<Result>(
  { storage, maintenance, upkeep }: Hub,
  type: TRPCProcedureType,
  run: () => Promise<Result>,
): Promise<Result> {
  upkeep?.noteCall();
  if (type === "mutation" && storage.isFull) throw new HubError("storage_full");
  return type === "mutation" ? maintenance.write(run) : run();
}

/**
 * Runs a call of a transport beside tRPC, such as `/v1`, with the checks of every procedure. The
 * transport has run {@link checkCall} before it read the body.
 * @param input the parsed body, which must be well-formed
 * @throws HubError those of the checks, and the errors of `run`
 */
export async function runCall<Result>(
  ctx: RequestContext,
  kind: ProcedureKind,
  input: unknown,
  run: (call: CallContext) => Promise<Result>,
): Promise<Result> {
  const known = await completeContext(ctx, kind, input);
  try {
    return await runTracked(ctx.hub, kind.type, () => run({ ...ctx, ...known }));
  } catch (error) {
    if (isStorageFull(error)) ctx.hub.storage.foundFull();
    throw error;
  }
}
