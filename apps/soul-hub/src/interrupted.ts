/** Exit code after Ctrl-C, as shells report it: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

/** Ends the command after Ctrl-C. There is nothing to report. */
export class Interrupted extends Error {
  override name = "Interrupted";
}
