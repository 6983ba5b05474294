import { HubError } from "../errors.ts";

const MAX_URL_CHARS = 8_000;

/**
 * Refuses an address that is too long or badly percent-encoded, rather than guess at it (decisions §1).
 * In a hook, not in the query parser: what a parser throws there, nobody catches.
 */
export function assertReadableUrl(url: string): void {
  if (url.length > MAX_URL_CHARS) throw new HubError("uri_too_long");
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch (cause) {
    throw badlyEncoded(cause);
  }
}

export const badlyEncoded = (cause: unknown): HubError =>
  new HubError("invalid_input", { message: "The address has a bad percent-encoding.", cause });
