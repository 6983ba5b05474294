import { type HubError, invalidField } from "../../errors.ts";

/** Formats the host of a URL like an entry of BYOK_ALLOWED_HOSTS: `host:port`, always with a port. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;

/**
 * Parses an entry of BYOK_ALLOWED_HOSTS, such as `localhost:11434` or `[::1]:8080`. The result is
 * normalised like a URL's host, so that entries and URLs can be compared.
 * @returns null if the entry is invalid
 */
export function readHostAndPort(text: string): string | null {
  const port = /^(?:\[[\d:A-Fa-f.]+\]|[^\s/@:?#*\\[\]]+):(\d{1,5})$/.exec(text)?.[1];
  const url = URL.parse(`http://${text}`);
  if (!port || !url || Number(port) < 1) return null;
  return `${url.hostname}:${Number(port)}`;
}

/**
 * Validates a `base_url` against the operator's list of allowed hosts (decisions §5, BYOK). Without
 * the list, users could make the hub call any server. The result has no trailing slash.
 * @throws HubError `invalid_input`
 */
export function readBaseUrl(text: string, allowedHosts: ReadonlySet<string>): string {
  // Printable ASCII without a backslash, which two URL parsers could read differently.
  const url = /^[\x21-\x5b\x5d-\x7e]+$/.test(text) ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl("must be an http or https URL");
  if (/^\w+:\/*[^/]*@/.test(text)) throw invalidUrl("must not contain a user or password");
  if (url.search || url.hash) throw invalidUrl("must not contain a query or fragment");
  if (!allowedHosts.has(hostAndPort(url))) {
    throw invalidUrl("must name a host that the operator of this hub allows");
  }
  return url.href.replace(/\/+$/, "");
}

const invalidUrl = (message: string): HubError => invalidField("base_url", message);
