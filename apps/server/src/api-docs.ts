import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

/**
 * The API reference needs inline scripts and styles. The policy lets its page connect to this hub
 * only.
 */
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'";

/** Serves /docs, the interactive API reference (decisions §7). */
export async function apiDocs(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook("onSend", async (_request, reply) => {
      reply.header("content-security-policy", contentSecurityPolicy);
    });
    await docs.register(scalar, {
      routePrefix: "/docs",
      configuration: {
        url: "/api/openapi.json",
        pageTitle: "Soul Hub API",
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: "never",
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
