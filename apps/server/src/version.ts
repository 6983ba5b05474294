import { readFileSync } from "node:fs";

/**
 * Soul Hub's version, that of the npm package (0072). The path is right both for this file and for
 * the package's bundle.
 */
export const { version } = JSON.parse(
  readFileSync(new URL("../../soul-hub-server/package.json", import.meta.url), "utf8"),
) as { version: string };
