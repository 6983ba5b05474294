const ONE_YEAR_SECONDS = 31_536_000;

/**
 * The Strict-Transport-Security header of a hub with an https BASE_URL (RFC 6797). The header has
 * no `includeSubDomains`, since the operator's other subdomains may not have TLS.
 */
export const strictTransport = (baseUrl: string): Record<string, string> =>
  baseUrl.startsWith("https:")
    ? { "strict-transport-security": `max-age=${ONE_YEAR_SECONDS}` }
    : {};
