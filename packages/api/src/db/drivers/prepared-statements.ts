const MARK = " /* prepared */";

/** Marks a statement as one that each connection prepares once. */
export const markPrepared = (statement: string): string => statement + MARK;

const WRITE = /^\s*(?:with\b.*?\b)?(?:insert into|update|delete from)\b/is;
const LOCK = /\bfor (?:update|no key update|share|key share)\s*$/i;

/**
 * Reports the statements that each connection prepares once: writes, locks and marked statements.
 * They find rows by key, so one plan suits all values. Other queries are planned each time (0015).
 * The result of a prepared statement names its columns: `returning *` would fail once a newer
 * release has added one (0030). A function with output columns of its own may be read with `*`.
 */
export const isPrepared = (statement: string): boolean =>
  statement.endsWith(MARK) || WRITE.test(statement) || LOCK.test(statement);
