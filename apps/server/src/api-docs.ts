import scalar from "@scalar/fastify-api-reference";
import { openApiDocument } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";

/** The page brings its own inline script and styles; it may talk to this hub and to nobody else. */
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'";

/** /api/openapi.json, and /docs to read and try it (decisions §7). */
export async function apiDocs(app: FastifyInstance, version: string): Promise<void> {
  const document = openApiDocument(version);
  app.get("/api/openapi.json", (_request, reply) =>
    reply.header("access-control-allow-origin", "*").send(document),
  );
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
