/** The media type of a catalog of APIs (RFC 9727 §4; RFC 9264). */
export const catalogType =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Lists the hub's APIs and where each is described (RFC 9727). */
export function apiCatalog(baseUrl: string) {
  const documents = {
    "service-desc": [{ href: `${baseUrl}/api/openapi.json`, type: "application/json" }],
    "service-doc": [{ href: `${baseUrl}/docs`, type: "text/html" }],
    status: [{ href: `${baseUrl}/healthz`, type: "application/json" }],
  };
  return {
    linkset: ["/api", "/v1", "/mcp"].map((path) => ({ anchor: baseUrl + path, ...documents })),
  };
}
