import type { AnyTRPCProcedure, AnyTRPCRouter, TRPCProcedureType } from "@trpc/server";
import type { Middleware } from "./call-procedure.ts";
import type { HubMeta } from "./procedure-meta.ts";

/** The parts of a tRPC procedure that a transport needs to call it without tRPC's own caller. */
export interface Procedure {
  type: TRPCProcedureType;
  meta: HubMeta | undefined;
  inputs: unknown[];
  output: unknown;
  middlewares: readonly Middleware[];
}

export type RouterConfig = AnyTRPCRouter["_def"]["_config"];

/**
 * Returns every procedure of a router by its name, such as `souls.read`, in the router's order.
 * Apart from tests, only this file reads tRPC's `_def`, whose shape may change with any version.
 */
export function proceduresOf(router: AnyTRPCRouter): ReadonlyMap<string, Procedure> {
  // At run time `procedures` is a flat record by dotted name, although its type is nested.
  const procedures = router._def.procedures as unknown as Record<string, AnyTRPCProcedure>;
  return new Map(
    Object.entries(procedures).map(([name, { _def }]) => [name, _def as unknown as Procedure]),
  );
}

/** Returns the settings of a router, such as its transformer and its error formatter. */
export const configOf = (router: AnyTRPCRouter): RouterConfig => router._def._config;
