import type { Hub } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import { apiCatalog, catalogType } from "./api-catalog.ts";

const DAY_MS = 86_400_000;
/** RFC 9116 §2.5.5 recommends less than a year. */
const SECURITY_DAYS = 180;

/**
 * Serves the paths below `/.well-known` that the hub has (0056). Every other path there is a JSON
 * 404, which the hub's app answers.
 * @param securityContact the URI for reports of security problems; null: no security.txt
 */
export function serveWellKnown(
  app: FastifyInstance,
  { config }: Hub,
  securityContact: string | null,
): void {
  if (securityContact !== null) {
    app.get("/.well-known/security.txt", (_, reply) =>
      reply
        .type("text/plain; charset=utf-8")
        .header("cache-control", "no-cache")
        .send(securityText(config.baseUrl, securityContact)),
    );
  }
  // Password managers open this path (W3C, A Well-Known URL for Changing Passwords).
  app.get("/.well-known/change-password", (_, reply) =>
    reply.header("cache-control", "no-cache").redirect(`${config.baseUrl}/settings/security`, 302),
  );
  app.get("/.well-known/api-catalog", (_, reply) =>
    reply
      .type(catalogType)
      .header("cache-control", "no-cache")
      .header("access-control-allow-origin", "*")
      .header("link", `<${config.baseUrl}/.well-known/api-catalog>; rel="api-catalog"`)
      // Fastify would add a charset to the type of a text, which the type does not have.
      .send(Buffer.from(JSON.stringify(apiCatalog(config.baseUrl)))),
  );
}

/** Writes security.txt (RFC 9116). Its end is a whole day, so that a day's texts are equal. */
function securityText(baseUrl: string, contact: string): string {
  const end = (Math.floor(Date.now() / DAY_MS) + SECURITY_DAYS) * DAY_MS;
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(end).toISOString()}`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    "",
  ].join("\n");
}
