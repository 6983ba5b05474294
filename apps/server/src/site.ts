import type { Hub } from "@soul-hub/api";
import type { FastifyInstance } from "fastify";
import { apiDocs } from "./api-docs.ts";
import { serveWellKnown } from "./discovery/well-known.ts";
import { readBuiltPages } from "./pages/built-pages.ts";
import { methodNotAllowed } from "./pages/method-not-allowed.ts";
import { servePages } from "./pages/serve-pages.ts";

/**
 * Adds to the app what a hub serves besides its API: the pages, the API reference and the files
 * with a well-known path. The server and the browser tests share this function.
 * @returns false if the web client has not been built, so that there are no pages
 */
export async function serveSite(
  app: FastifyInstance,
  hub: Hub,
  securityContact: string | null,
): Promise<boolean> {
  const pages = readBuiltPages();
  methodNotAllowed(app, pages);
  serveWellKnown(app, hub, securityContact);
  await apiDocs(app, hub);
  if (pages) await servePages(app, hub, pages);
  return pages !== null;
}
