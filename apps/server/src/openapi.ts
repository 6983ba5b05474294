import { openApiDocument } from "@soul-hub/api";
import { version } from "./version.ts";

/** Prints the document that tools/openapi.ts formats and commits as openapi.json. */
process.stdout.write(`${JSON.stringify(openApiDocument(version))}\n`);
