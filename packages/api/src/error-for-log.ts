import { stdSerializers } from "pino";

/** The fields of a driver's or system's error that contain names only, never user data. */
const NAMING = ["code", "table", "column", "constraint", "syscall"] as const;

/**
 * Reduces an error to the parts that a log may contain (decisions §3, Logs): type, message, stack
 * and names. Database errors also contain the refused row, and those of PGlite all query
 * parameters. Both may contain users' texts and sealed keys.
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
