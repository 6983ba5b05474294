import { z } from "zod";
import { climbLadder } from "../climb-ladder.ts";
import type { DoorContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { type Procedure, proceduresOf } from "../procedures.ts";
import { appRouter } from "../router.ts";
import type { RestMeta, Rung } from "../trpc.ts";

/** One procedure as REST sees it. */
export interface RestEndpoint extends RestMeta {
  /** The procedure's name, such as `souls.read`. */
  name: string;
  rung: Rung;
  input: z.ZodObject;
  output: z.ZodObject;
  call(ctx: DoorContext, input: unknown, signal: AbortSignal | undefined): Promise<object>;
}

/** Every procedure with `meta.rest`, in the router's order. */
export function restEndpoints(): RestEndpoint[] {
  return [...proceduresOf(appRouter)].flatMap(([name, procedure]) => {
    const { rest, rung } = procedure.meta ?? {};
    return rest ? [toEndpoint(name, rest, rung ?? "open", procedure)] : [];
  });
}

function toEndpoint(
  name: string,
  rest: RestMeta,
  rung: Rung,
  { inputs, middlewares, output, type, meta }: Procedure,
): RestEndpoint {
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
