/** PostgreSQL's text of a timestamptz (sessions run in UTC) as the API writes times: `YYYY-MM-DD HH:MM:SS` (decisions §2). */
export const utcText = (timestamptz: string): string => timestamptz.slice(0, 19);
