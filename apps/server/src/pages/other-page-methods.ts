import { answerOtherMethod } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import { isBesidePages } from "./beside-pages.ts";

const READ = new Set(["GET", "HEAD"]);

/**
 * What pages, their files and /docs say to methods that don't read (decisions §1); the hub's own doors
 * say it themselves. Before those are registered.
 */
export function otherPageMethods(app: FastifyInstance): void {
  const addresses = new Set<string>();
  app.addHook("onRoute", ({ url, method }) => {
    if ([method].flat().includes("GET")) addresses.add(url);
  });
  app.route({
    method: app.supportedMethods.filter((method) => !READ.has(method)),
    url: "/*",
    // Before a body is read.
    onRequest: async (request, reply) => {
      const [path = ""] = request.url.split("?", 1);
      // Any other address is a page's, if only to say that there is nothing.
      const isKnown = addresses.has(path) || (addresses.has("/*") && !isBesidePages(path));
      return isKnown ? answerOtherMethod(request, reply, READ) : reply.callNotFound();
    },
    handler: () => undefined,
  });
}
