import type { AnyTRPCProcedure, AnyTRPCRouter, TRPCProcedureType } from "@trpc/server";
import type { Middleware } from "./climb-ladder.ts";
import type { HubMeta } from "./trpc.ts";

/** A procedure as the doors that call it without tRPC's own caller see it. */
export interface Procedure {
  type: TRPCProcedureType;
  meta: HubMeta | undefined;
  inputs: unknown[];
  output: unknown;
  middlewares: readonly Middleware[];
}

/**
 * Every procedure of a router by its name, such as `souls.read`, in the router's order. The only
 * place that reads tRPC's `_def`: its shape is pinned with the version, and each door calls this at
 * start.
 */
export function proceduresOf(router: AnyTRPCRouter): ReadonlyMap<string, Procedure> {
  // Flat at run time, by dotted name; tRPC's type shows it nested.
  const procedures = router._def.procedures as unknown as Record<string, AnyTRPCProcedure>;
  return new Map(
    Object.entries(procedures).map(([name, { _def }]) => [name, _def as unknown as Procedure]),
  );
}
