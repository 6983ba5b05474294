/** `host:port`, the port also where the scheme implies it: how BYOK_ALLOWED_HOSTS names a host. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;

/**
 * Reads one entry of BYOK_ALLOWED_HOSTS, such as `localhost:11434` or `[::1]:8080`, and writes it
 * as addresses are compared: lower case, an IP address in its one form.
 * @returns null when it is none
 */
export function readHostAndPort(text: string): string | null {
  const port = /^(?:\[[\d:A-Fa-f.]+\]|[^\s/@:?#*\\[\]]+):(\d{1,5})$/.exec(text)?.[1];
  const url = URL.parse(`http://${text}`);
  if (!port || !url || Number(port) < 1) return null;
  return `${url.hostname}:${Number(port)}`;
}
