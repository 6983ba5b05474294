import path from "node:path";

/**
 * Puts the data into `.data` of the working directory, unless DATA_DIR names another place. In the
 * repository the default is its root, which an installed package does not have.
 * @returns the directory
 */
export function placeData(): string {
  process.env.DATA_DIR ||= path.resolve(".data");
  return process.env.DATA_DIR;
}
