/**
 * Nobody reads what we print any more (`start | head -1`). That is no reason for a hub to end; without
 * a listener each of these errors ends the process. The log's own destination takes a broken pipe in
 * the same way.
 */
export function goOnUnheard(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
