import { HubError } from "../../errors.ts";

const MAX_URL_CHARS = 8_000;

/**
 * Refuses a URL that is too long or has invalid percent-encoding (decisions §1). This function must
 * run in a hook, since Fastify does not catch errors of the query parser.
 */
export function assertValidUrl(url: string): void {
  if (url.length > MAX_URL_CHARS) throw new HubError("uri_too_long");
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch (cause) {
    throw invalidPercentEncoding(cause);
  }
}

export const invalidPercentEncoding = (cause: unknown): HubError =>
  new HubError("invalid_input", { message: "The address has a bad percent-encoding.", cause });
