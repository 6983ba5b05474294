/** A call of a function in another process, and its outcome. */
export interface Call {
  id: number;
  name: string;
  args: unknown[];
}
export interface Answer {
  id: number;
  answer?: unknown;
  error?: string;
}

/** Lets the benchmark call these functions, in a process of `startWorker`. */
export function answerCalls(functions: Record<string, (...args: never[]) => unknown>): void {
  process.on("message", async ({ id, name, args }: Call) => {
    const send = (outcome: Omit<Answer, "id">) => process.send?.({ id, ...outcome });
    try {
      send({ answer: await functions[name]?.(...(args as never[])) });
    } catch (error) {
      send({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  // The process exits when the benchmark ends or crashes.
  process.on("disconnect", () => process.exit());
}
