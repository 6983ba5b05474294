/**
 * Matches the statements that are prepared once per connection: writes, locks and calls of SQL
 * functions. They find rows by key, so their plan does not depend on the values. Other queries are
 * planned each time (0015). A prepared statement names its columns: `returning *` would fail once a
 * newer release has added one (0030).
 */
const PREPARED = /^\s*(insert|update|delete|select \* from \w+\()|\bfor update$/i;

export const isPrepared = (statement: string): boolean => PREPARED.test(statement);
