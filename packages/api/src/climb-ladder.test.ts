import { initTRPC, TRPCError } from "@trpc/server";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { climbLadder, type Middleware } from "./climb-ladder.ts";
import type { DoorContext } from "./context.ts";

/**
 * climbLadder stands in for tRPC's own caller and rests on what that one does inside. An upgrade of
 * tRPC that hands middlewares anything more, or in another order, fails here.
 */
describe("a procedure called through climbLadder", () => {
  /** What each step of the ladder was handed, in the order in which the steps began and ended. */
  let trace: unknown[] = [];
  const t = initTRPC.context<object>().meta<{ name: string }>().create();
  const note = (step: string, seen: object) => {
    const { next: _, signal, getRawInput, ...plain } = seen as Record<string, unknown>;
    trace.push([step, Object.keys(seen).sort(), plain, signal === handed, typeof getRawInput]);
  };
  const handed = new AbortController().signal;

  const noted = t.procedure.use(async (seen) => {
    note("first", seen);
    const outcome = await seen.next({ ctx: { caller: "ada" } });
    // `marker` is a brand for the compiler alone.
    const { marker: _, ...told } = outcome;
    trace.push(["after", Object.keys(told).sort(), told.ok]);
    return outcome;
  });
  const laddered = noted
    .meta({ name: "of the procedure" })
    .use(async (seen) => {
      note("second", seen);
      return seen.next({ ctx: { db: "a database" } });
    })
    .use((seen) => seen.next({ getRawInput: async () => ({ id: "7", x: 1 }) }))
    .input(z.object({ id: z.coerce.number() }))
    .output(z.object({ id: z.number().max(9), seen: z.string().default("in the output") }));

  const procedures = {
    "that answers": laddered.query((seen) => {
      note("resolver", seen);
      return { id: seen.input.id, dropped: true };
    }),
    "without input and output": noted.query((seen) => {
      note("resolver", seen);
      return { anything: "goes" };
    }),
    "whose input is refused": noted
      .input(z.object({ id: z.number().max(1) }))
      .mutation(() => ({ never: true })),
    "whose output is wrong": laddered.query(() => ({ id: 10 })),
    "that throws its own error": laddered.mutation(() => {
      throw new TRPCError({ code: "CONFLICT", message: "twice" });
    }),
    "that throws anything": laddered.mutation(() => {
      throw new RangeError("unforeseen");
    }),
    "whose guard refuses": t.procedure
      .use(() => {
        throw new TRPCError({ code: "FORBIDDEN" });
      })
      .query(() => ({ never: true })),
  };

  /** What came of it, with everything that was seen on the way. */
  const listen = async (call: () => Promise<unknown>) => {
    trace = [];
    const outcome = await call().then(
      (data) => ({ data }),
      ({ name, code, message, cause }: TRPCError) => ({ name, code, message, cause }),
    );
    return { outcome, trace };
  };

  it.each(Object.entries(procedures))("%s is called as tRPC calls it", async (_, procedure) => {
    const climb = {
      ctx: { door: "rest" } as unknown as DoorContext,
      path: "souls.read",
      type: "query" as const,
      input: undefined,
      signal: handed,
      batchIndex: 0,
      getRawInput: async () => ({ id: 5 }),
    };
    const { middlewares, meta } = procedure._def as unknown as {
      middlewares: Middleware[];
      meta: unknown;
    };
    const byTrpc = await listen(() => (procedure as (given: object) => Promise<unknown>)(climb));
    const byUs = await listen(() => climbLadder(middlewares, { ...climb, meta }));
    expect(byUs).toEqual(byTrpc);
    expect(byUs.outcome).not.toEqual({ data: undefined });
  });
});
