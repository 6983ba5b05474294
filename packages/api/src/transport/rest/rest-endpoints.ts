import { z } from "zod";
import type { KeyNeed } from "../../caller/key-scopes.schema.ts";
import type { RequestContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { appRouter } from "../../router.ts";
import { callProcedure } from "../../trpc/call-procedure.ts";
import { type AccessLevel, bodyLimitOf, type RestMeta } from "../../trpc/procedure-meta.ts";
import { type Procedure, proceduresOf } from "../../trpc/procedures.ts";
import { isJsonObject } from "../../trpc/well-formed.ts";

/** A procedure with `meta.rest`, in the form that the REST transport needs. */
export interface RestEndpoint extends Omit<RestMeta, "rest"> {
  /** The procedure's name, such as `souls.read`. */
  name: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below /api, with `{name}` for a path parameter. */
  path: string;
  access: AccessLevel;
  need: KeyNeed;
  maxBodyBytes: number;
  input: z.ZodObject;
  output: z.ZodObject;
  call(ctx: RequestContext, input: unknown, signal: AbortSignal | undefined): Promise<object>;
}

/** Whether an endpoint takes its fields from a JSON body instead of the query. */
export const hasJsonBody = ({
  method,
  takesBody,
  takesFile,
}: Pick<RestEndpoint, "method" | "takesBody" | "takesFile">): boolean =>
  !takesFile && (method === "POST" || method === "PUT" || takesBody === true);

/** Returns every procedure with `meta.rest`, in the router's order. */
export function restEndpoints(): RestEndpoint[] {
  return [...proceduresOf(appRouter)].flatMap(([name, procedure]) =>
    procedure.meta?.rest ? [toEndpoint(name, procedure.meta, procedure)] : [],
  );
}

function toEndpoint(
  name: string,
  meta: RestMeta,
  { inputs, middlewares, output, type }: Procedure,
): RestEndpoint {
  const input = inputs[0] ?? z.object({});
  if (!(input instanceof z.ZodObject) || !(output instanceof z.ZodObject)) {
    throw new Error(`${name} needs a z.object as input and output for REST.`);
  }
  const { rest, access = "open", need = "main", ...more } = meta;
  const [method, path] = rest.split(" ") as [RestEndpoint["method"], string];
  return {
    ...more,
    name,
    method,
    path,
    access,
    need,
    maxBodyBytes: bodyLimitOf(meta),
    input,
    output,
    call: async (ctx, given, signal) => {
      if (!isJsonObject(given)) {
        throw new HubError("invalid_input", {
          details: [{ field: "", message: "the body must be a JSON object" }],
        });
      }
      return callProcedure(middlewares, {
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
