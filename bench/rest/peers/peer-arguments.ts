/**
 * The command line of a server that the hub is compared with: port, database URL, connections of
 * its pool.
 */
const [portText = "", databaseUrl = "", poolText = ""] = process.argv.slice(2);

export const port = Number(portText);
export const poolSize = Number(poolText);
export { databaseUrl };
