import { answerOtherMethod } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import { isBesidePages } from "./beside-pages.ts";
import type { BuiltPages } from "./built-pages.ts";

const READ = new Set(["GET", "HEAD"]);

/**
 * What pages, their files and /docs say to methods that don't read (decisions §1); the hub's own doors
 * say it themselves. Before those are registered.
 */
export function otherPageMethods(app: FastifyInstance, pages: BuiltPages | null): void {
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
      const isPage = () => !isBesidePages(path) && pages?.filesOf(path) !== undefined;
      const isKnown = addresses.has(path) || isPage();
      return isKnown ? answerOtherMethod(request, reply, READ) : reply.callNotFound();
    },
    handler: () => undefined,
  });
}
