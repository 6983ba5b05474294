import { HubError } from "../../errors.ts";
import { hostAndPort } from "./host-and-port.ts";

/**
 * A provider's address as somebody gave it, without a slash at the end. Only hosts that the
 * operator listed (decisions §5, BYOK): a user's address is a way to make the hub call anything.
 * @throws HubError `invalid_input`
 */
export function readBaseUrl(text: string, allowedHosts: ReadonlySet<string>): string {
  // Printable ASCII without a backslash: nothing that two URL parsers could read in two ways.
  const url = /^[\x21-\x5b\x5d-\x7e]+$/.test(text) ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw refusal("must be an http or https address");
  if (/^\w+:\/*[^/]*@/.test(text)) throw refusal("may not hold a user or password");
  if (url.search || url.hash) throw refusal("may not hold a query or fragment");
  if (!allowedHosts.has(hostAndPort(url))) {
    throw refusal("is not at a host that the operator of this hub allows");
  }
  return url.href.replace(/\/+$/, "");
}

const refusal = (message: string): HubError =>
  new HubError("invalid_input", { details: [{ field: "base_url", message }] });
