import { openApiDocument } from "@soul-hub/api";
import { version } from "./version.ts";

/** Prints the document that is committed as openapi.json. */
process.stdout.write(`${JSON.stringify(openApiDocument(version), null, 2)}\n`);
