import { type FailureCode, HubError } from "../errors.ts";

/**
 * SQLSTATE codes: the server stops, starts, has no free connection or cancels a statement. Also
 * Node's codes of connection errors.
 */
const CONNECTION_CODES = new Set([
  ...["57P01", "57P02", "57P03", "57014", "53300"],
  ...["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "EHOSTUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
/** Class 08 of SQLSTATE: connection exceptions. */
const CONNECTION_EXCEPTION = /^08[0-9A-Z]{3}$/;
/** Errors of the pg library itself have no code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error))/;

/** Maximum number of `cause` links that are followed, since they may form a cycle. */
const MAX_CAUSES = 5;

/**
 * True if the database was unreachable, was overloaded or timed out, so that a retry may succeed.
 * Also checks the error's causes, since the ORM wraps errors.
 */
export const isConnectionError = (thrown: unknown): boolean =>
  causesOf(thrown).some(
    ({ code = "", message }) =>
      CONNECTION_CODES.has(code) ||
      CONNECTION_EXCEPTION.test(code) ||
      CONNECTION_MESSAGES.test(message),
  );

/** True if a statement waited too long for a lock or ended a deadlock, so that a retry may succeed. */
export const isLockConflict = (thrown: unknown): boolean =>
  causesOf(thrown).some(({ code = "" }) => code === "55P03" || code === "40P01");

/** True if PostgreSQL ended a transaction to resolve a deadlock. */
export const isDeadlock = (thrown: unknown): boolean =>
  causesOf(thrown).some(({ code }) => code === "40P01");

/** WASI's number of the error ENOSPC. The errors of PGlite's file system have this number. */
const WASI_ENOSPC = 51;

/** True if the database has no disk space left: SQLSTATE 53100, or the system's code. */
export const isStorageFull = (thrown: unknown): boolean =>
  causesOf(thrown).some(({ code = "" }) => code === "53100" || code === "ENOSPC") ||
  (firstError(thrown) as NodeJS.ErrnoException | undefined)?.errno === WASI_ENOSPC;

/** True if the session refuses writes, because the hub's data moves: SQLSTATE 25006. */
export const isReadOnly = (thrown: unknown): boolean =>
  causesOf(thrown).some(({ code }) => code === "25006");

/** Returns the error that came first, if the disposal after it failed as well. */
export const firstError = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstError(error.suppressed) : error;

function causesOf(thrown: unknown): NodeJS.ErrnoException[] {
  const causes: NodeJS.ErrnoException[] = [];
  let error = firstError(thrown);
  while (causes.length < MAX_CAUSES && error instanceof Error) {
    causes.push(error);
    error = error.cause;
  }
  return causes;
}

/**
 * Returns a handler of errors that turns the violation of a constraint into a failure.
 * @throws HubError the failure; every other error as it is
 */
export const onViolation =
  (constraint: string, code: FailureCode) =>
  (error: unknown): never => {
    const isViolation = error instanceof Error && Reflect.get(error, "constraint") === constraint;
    throw isViolation ? new HubError(code, { cause: error }) : error;
  };
