/** What the bench tells a peer that it starts: port, database and connections to it. */
const [portText = "", databaseUrl = "", poolText = ""] = process.argv.slice(2);

export const port = Number(portText);
export const poolSize = Number(poolText);
export { databaseUrl };
