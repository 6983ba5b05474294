const MARK = " /* prepared */";

/** Marks a statement as one that each connection prepares once. */
export const markPrepared = (statement: string): string => statement + MARK;

/**
 * Reports the statements that each connection prepares once: writes, locks and marked statements.
 * They find rows by key, so one plan suits all values. Other queries are planned each time (0015). A
 * prepared statement names its columns: `returning *` would fail once a newer release has added one
 * (0030). Only the columns of an SQL function may be `*`, since they never change (0026).
 */
export const isPrepared = (statement: string): boolean =>
  statement.endsWith(MARK) ||
  statement.endsWith("for update") ||
  /^\s*(insert|update|delete)/i.test(statement);
