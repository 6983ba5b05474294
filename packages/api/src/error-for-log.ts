import { stdSerializers } from "pino";

/** What names things, of the many fields that errors bring along. */
const NAMING = ["code", "table", "column", "constraint", "syscall"] as const;

/**
 * An error as the log may hold it (decisions §3, Logs): what it is and where it happened. A
 * database's errors also carry the row they refuse, and PGlite's all parameters of the query: what
 * people wrote, and sealed keys.
 */
export function errorForLog(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack } = stdSerializers.err(error);
  const names = NAMING.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === "string" ? [[name, value]] : [];
  });
  const several = error instanceof AggregateError ? { errors: error.errors.map(errorForLog) } : {};
  return { type, message, stack, ...Object.fromEntries(names), ...several };
}
