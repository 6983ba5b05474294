import { gunzipSync, gzipSync } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import { countPageRead, type Hub, sitemapAddresses, sitemapBlocks } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Seconds for which a sitemap is cached, so that the server does not read 40,000 souls for every
 * crawler. A hidden soul must leave it within a minute (0062).
 */
const CACHE_SECONDS = 30;
/**
 * Paths that search engines must not index: private pages, and rooms, which are shared by link
 * only.
 */
const disallowed = [
  "/chat/",
  "/api/",
  "/trpc",
  "/settings",
  "/notices",
  "/my-",
  "/sign-",
  "/publish",
  // Pages that links in mails open.
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/undo-deletion",
];

/** Serves /robots.txt and /sitemap.xml (sitemaps.org 0.9), which list public pages only. */
export function sitemap(app: FastifyInstance, hub: Hub): void {
  /** The sitemaps by name, gzip-compressed: uncompressed, a million souls take far more memory. */
  const cache = new Map<string, { list: Buffer; expiresMs: number }>();

  const send = async (
    { ip, headers }: FastifyRequest,
    reply: FastifyReply,
    name: string,
    read: () => Promise<string | null>,
  ) => {
    await countPageRead(hub, ip);
    let page = cache.get(name);
    if (!page || page.expiresMs < performance.now()) {
      const list = await read();
      if (list === null) return reply.callNotFound();
      page = { list: gzipSync(list), expiresMs: performance.now() + CACHE_SECONDS * 1_000 };
      cache.set(name, page);
    }
    cacheable(reply, "application/xml; charset=utf-8").header("vary", "accept-encoding");
    const acceptsGzip = negotiate(String(headers["accept-encoding"] ?? ""), ["gzip"]) !== null;
    if (!acceptsGzip) return reply.send(gunzipSync(page.list));
    return reply.header("content-encoding", "gzip").send(page.list);
  };
  const toXml = (list: string, entry: string, paths: string[]) => {
    const entries = paths.map(
      (path) => `<${entry}><loc>${hub.config.baseUrl}${path}</loc></${entry}>`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<${list} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${list}>\n`;
  };

  app.get("/robots.txt", (_, reply) =>
    cacheable(reply, "text/plain; charset=utf-8").send(
      [
        "User-agent: *",
        ...disallowed.map((path) => `Disallow: ${path}`),
        `Sitemap: ${hub.config.baseUrl}/sitemap.xml`,
        "",
      ].join("\n"),
    ),
  );

  app.get("/sitemap.xml", (request, reply) =>
    send(request, reply, "index", async () => {
      const blocks = await sitemapBlocks(hub);
      return toXml(
        "sitemapindex",
        "sitemap",
        blocks.map((id) => `/sitemaps/${id}.xml`),
      );
    }),
  );

  app.get<{ Params: { block: string } }>("/sitemaps/:block.xml", (request, reply) =>
    send(request, reply, request.url, async () => {
      // Accepts only the exact URL of a listed sitemap, so that variants of a URL cannot fill the
      // cache.
      const firstId = (await sitemapBlocks(hub)).find(
        (id) => request.url === `/sitemaps/${id}.xml`,
      );
      if (firstId === undefined) return null;
      return toXml("urlset", "url", await sitemapAddresses(hub, firstId));
    }),
  );
}

const cacheable = (reply: FastifyReply, type: string) =>
  reply.type(type).header("cache-control", `public, max-age=${CACHE_SECONDS}`);
