import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import type { DoorContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { appRouter } from "../router.ts";
import type { HubMeta, RestMeta, Rung } from "../trpc.ts";
import { climbLadder, type Middleware } from "./climb-ladder.ts";

/** One procedure as REST sees it. */
export interface RestEndpoint extends RestMeta {
  /** The procedure's name, such as `souls.read`. */
  name: string;
  rung: Rung;
  input: z.ZodObject;
  output: z.ZodObject;
  call(ctx: DoorContext, input: unknown, signal: AbortSignal | undefined): Promise<object>;
}

/**
 * Every procedure with `meta.rest`, in the router's order. The only place that reads tRPC's `_def`:
 * its shape is pinned with the version, and the first call of this function is at start.
 */
export function restEndpoints(): RestEndpoint[] {
  // Flat at run time, by dotted name; tRPC's type shows it nested.
  const procedures = appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>;
  return Object.entries(procedures).flatMap(([name, procedure]) => {
    const { rest, rung } = (procedure._def.meta ?? {}) as HubMeta;
    return rest ? [toEndpoint(name, rest, rung ?? "open", procedure)] : [];
  });
}

function toEndpoint(
  name: string,
  rest: RestMeta,
  rung: Rung,
  procedure: AnyTRPCProcedure,
): RestEndpoint {
  const { inputs, middlewares, output, type, meta } = procedure._def as unknown as {
    inputs: unknown[];
    middlewares: Middleware[];
    output: unknown;
    type: "query" | "mutation";
    meta: unknown;
  };
  const input = inputs[0] ?? z.object({});
  if (!(input instanceof z.ZodObject) || !(output instanceof z.ZodObject)) {
    throw new Error(`${name} needs a z.object as input and output to stand in REST.`);
  }
  return {
    ...rest,
    name,
    rung,
    input,
    output,
    call: async (ctx, given, signal) => {
      if (!isPlainObject(given)) {
        throw new HubError("invalid_input", {
          details: [{ field: "", message: "the body must be a JSON object" }],
        });
      }
      return climbLadder(middlewares, {
        ctx,
        path: name,
        type,
        meta,
        signal,
        input: undefined,
        getRawInput: async () => given,
        batchIndex: 0,
      });
    },
  };
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
