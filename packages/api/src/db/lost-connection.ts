/**
 * What PostgreSQL and Node say when the database is gone, full, or too slow: connections refused or
 * broken, the server stopping or starting, no connection left, a statement over its time.
 */
const LOST_CODES = new Set([
  ...["57P01", "57P02", "57P03", "57014", "53300"],
  ...["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "EHOSTUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
/** Class 08 of SQLSTATE: connection exceptions. */
const CONNECTION_EXCEPTION = /^08[0-9A-Z]{3}$/;
/** pg gives what it finds out by itself no code. */
const LOST_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error))/;

/** As deep as anybody wraps an error; a ring of causes ends here too. */
const MAX_CAUSES = 5;

/** Whether the database could not be reached or did not answer in time; asking again may help. */
export function isLostConnection(thrown: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === "string" && (LOST_CODES.has(code) || CONNECTION_EXCEPTION.test(code))) {
      return true;
    }
    if (LOST_MESSAGES.test(error.message)) return true;
    error = error.cause;
  }
  return false;
}
