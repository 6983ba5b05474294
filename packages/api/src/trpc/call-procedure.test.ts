import { initTRPC, TRPCError } from "@trpc/server";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { RequestContext } from "../context.ts";
import { callProcedure, type Middleware } from "./call-procedure.ts";

/**
 * callProcedure replaces tRPC's own caller. This test fails if an upgrade of tRPC passes other
 * arguments to middlewares or runs them in another order.
 */
describe("callProcedure", () => {
  /** The arguments of each middleware, in the order in which the middlewares begin and end. */
  let trace: unknown[] = [];
  const t = initTRPC.context<object>().meta<{ name: string }>().create();
  const note = (step: string, seen: object) => {
    const { next: _, signal, getRawInput, ...plain } = seen as Record<string, unknown>;
    trace.push([step, Object.keys(seen).sort(), plain, signal === signalGiven, typeof getRawInput]);
  };
  const signalGiven = new AbortController().signal;

  const noted = t.procedure.use(async (seen) => {
    note("first", seen);
    const outcome = await seen.next({ ctx: { caller: "ada" } });
    // The property `marker` of tRPC's result only serves the compiler, so the test omits it.
    const { marker: _, ...result } = outcome;
    trace.push(["after", Object.keys(result).sort(), result.ok]);
    return outcome;
  });
  const layered = noted
    .meta({ name: "of the procedure" })
    .use(async (seen) => {
      note("second", seen);
      return seen.next({ ctx: { db: "a database" } });
    })
    .use((seen) => seen.next({ getRawInput: async () => ({ id: "7", x: 1 }) }))
    .input(z.object({ id: z.coerce.number() }))
    .output(z.object({ id: z.number().max(9), seen: z.string().default("in the output") }));

  const procedures = {
    "that returns a result": layered.query((seen) => {
      note("resolver", seen);
      return { id: seen.input.id, dropped: true };
    }),
    "without input and output": noted.query((seen) => {
      note("resolver", seen);
      return { anything: "goes" };
    }),
    "with invalid input": noted
      .input(z.object({ id: z.number().max(1) }))
      .mutation(() => ({ never: true })),
    "with invalid output": layered.query(() => ({ id: 10 })),
    "that throws a TRPCError": layered.mutation(() => {
      throw new TRPCError({ code: "CONFLICT", message: "twice" });
    }),
    "that throws another error": layered.mutation(() => {
      throw new RangeError("unforeseen");
    }),
    "with a middleware that throws": t.procedure
      .use(() => {
        throw new TRPCError({ code: "FORBIDDEN" });
      })
      .query(() => ({ never: true })),
  };

  /** Runs a procedure. Resolves with its outcome and the trace of its middlewares. */
  const traced = async (run: () => Promise<unknown>) => {
    trace = [];
    const outcome = await run().then(
      (data) => ({ data }),
      ({ name, code, message, cause }: TRPCError) => ({ name, code, message, cause }),
    );
    return { outcome, trace };
  };

  it.each(Object.entries(procedures))("calls a procedure %s as tRPC does", async (_, procedure) => {
    const call = {
      ctx: { transport: "rest" } as unknown as RequestContext,
      path: "souls.read",
      type: "query" as const,
      input: undefined,
      signal: signalGiven,
      batchIndex: 0,
      getRawInput: async () => ({ id: 5 }),
    };
    const { middlewares, meta } = procedure._def as unknown as {
      middlewares: Middleware[];
      meta: unknown;
    };
    const byTrpc = await traced(() => (procedure as (given: object) => Promise<unknown>)(call));
    const byUs = await traced(() => callProcedure(middlewares, { ...call, meta }));
    expect(byUs).toEqual(byTrpc);
    expect(byUs.outcome).not.toEqual({ data: undefined });
  });
});
