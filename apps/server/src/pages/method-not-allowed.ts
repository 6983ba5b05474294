import { respondToOtherMethod } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import type { BuiltPages } from "./built-pages.ts";
import { isReservedPath } from "./reserved-paths.ts";

const ALLOWED = new Set(["GET", "HEAD"]);

/**
 * Answers methods other than GET and HEAD on pages, their files and /docs (decisions §1). The
 * response to OPTIONS is 204, and to all others 405 with `Allow`. Call this function before the
 * routes of pages, files and /docs are registered.
 */
export function methodNotAllowed(app: FastifyInstance, pages: BuiltPages | null): void {
  const routes = new Set<string>();
  app.addHook("onRoute", ({ url, method }) => {
    if ([method].flat().includes("GET")) routes.add(url);
  });
  app.route({
    method: app.supportedMethods.filter((method) => !ALLOWED.has(method)),
    url: "/*",
    // An onRequest hook sends the response, so that Fastify does not read the request's body.
    onRequest: async (request, reply) => {
      const [path = ""] = request.url.split("?", 1);
      const isPage = () => !isReservedPath(path) && pages?.filesOf(path) !== undefined;
      const exists = routes.has(path) || isPage();
      return exists ? respondToOtherMethod(request, reply, ALLOWED) : reply.callNotFound();
    },
    handler: () => undefined,
  });
}
