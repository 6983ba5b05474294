/** Creates a migrated embedded database in the directory of the argument. */
import { connectDatabase } from "@soul-hub/api";

const [, , directory = ""] = process.argv;
await (await connectDatabase({ directory, sync: false })).close();
