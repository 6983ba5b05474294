/** Object ids of types in PostgreSQL. */
const INT8 = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/**
 * Settings of every database connection. They override those of the server, the database, the role
 * and the environment. Times are UTC and ISO 8601 (decisions §2), as {@link parsers} expects.
 */
export const sessionSettings = { timezone: "UTC", datestyle: "ISO,YMD" };

/**
 * Parsers of query results, by type. Ids are integers up to 2^53-1. Times stay text, as the API
 * writes them: `YYYY-MM-DD HH:MM:SS`, without fraction or offset (decisions §2).
 */
export const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [DATE]: (date) => date,
  [TIMESTAMPTZ]: (timestamp) => timestamp.slice(0, 19),
};
