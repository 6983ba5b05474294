import type { Hub } from "@soul-hub/api";
import { type FastifyInstance, fastify } from "fastify";
import { canonicalLoopbackUrl } from "./pages/canonical-url.ts";

/**
 * The API reference needs inline scripts and styles. The policy lets its page connect to this hub
 * only.
 */
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'";

/** Serves /docs, the interactive API reference (decisions §7). */
export async function apiDocs(app: FastifyInstance, hub: Hub): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook("onRequest", async (request, reply) => {
      // The document names the hub's URL, and the policy refuses calls to another host.
      const canonical = canonicalLoopbackUrl(request, hub.config.baseUrl);
      if (canonical) return reply.redirect(canonical, 307);
    });
    docs.addHook("onSend", async (_request, reply) => {
      reply.header("content-security-policy", contentSecurityPolicy);
    });
    for (const path of ["/docs", "/docs/", "/docs/js/scalar.js"]) {
      docs.get(path, async ({ url }, reply) => {
        reference ??= createReference();
        const app = await reference.catch((error: unknown) => {
          // The next request tries again.
          reference = undefined;
          throw error;
        });
        const { statusCode, headers, rawPayload } = await app.inject(url);
        for (const name of ["content-type", "location", "cache-control", "etag"]) {
          if (headers[name] !== undefined) reply.header(name, headers[name]);
        }
        return reply.code(statusCode).send(rawPayload);
      });
    }
  });
}

let reference: Promise<FastifyInstance> | undefined;

/** Creates an app of the reference alone. Its script has 4 MB, so a start does not load it (0081). */
async function createReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(scalar, {
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
  return app;
}
