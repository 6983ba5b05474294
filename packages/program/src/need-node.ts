const BAD_ENVIRONMENT = 2;

/**
 * Ends the process if its Node is older. A program calls this before it loads the modules whose
 * syntax an older Node can't read, so this file imports none.
 * @param needed the oldest version that runs the program, such as `22.4`
 */
export function needNode(name: string, needed: string): void {
  const { node } = process.versions;
  if (node.localeCompare(needed, "en", { numeric: true }) >= 0) return;
  process.stderr.write(`${name} needs Node ${needed} or later. This is Node ${node}.\n`);
  process.exit(BAD_ENVIRONMENT);
}
