import { gunzipSync, gzipSync } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import { countPageRead, type Hub, sitemapAddresses, sitemapBlocks } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Search engines come rarely, and a block of 40,000 souls is not read for each of them. */
const KEPT_SECONDS = 3_600;
/** Nothing to find there: rooms are known by their links, the rest belongs to whoever is signed in. */
const closed = ["/chat/", "/api/", "/trpc", "/settings", "/my-", "/sign-", "/publish"];

/** /robots.txt and /sitemap.xml (sitemaps.org 0.9): what is public, and nothing else. */
export function sitemap(app: FastifyInstance, hub: Hub): void {
  /** Compressed: a million souls are 4 MB. */
  const kept = new Map<string, { list: Buffer; untilMs: number }>();

  const send = async (
    { ip, headers }: FastifyRequest,
    reply: FastifyReply,
    name: string,
    read: () => Promise<string | null>,
  ) => {
    await countPageRead(hub, ip);
    let page = kept.get(name);
    if (!page || page.untilMs < performance.now()) {
      const list = await read();
      if (list === null) return reply.callNotFound();
      page = { list: gzipSync(list), untilMs: performance.now() + KEPT_SECONDS * 1_000 };
      kept.set(name, page);
    }
    keepable(reply, "application/xml; charset=utf-8").header("vary", "accept-encoding");
    const takesGzip = negotiate(String(headers["accept-encoding"] ?? ""), ["gzip"]) !== null;
    if (!takesGzip) return reply.send(gunzipSync(page.list));
    return reply.header("content-encoding", "gzip").send(page.list);
  };
  const asXml = (list: string, entry: string, paths: string[]) => {
    const entries = paths.map(
      (path) => `<${entry}><loc>${hub.config.baseUrl}${path}</loc></${entry}>`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<${list} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${list}>\n`;
  };

  app.get("/robots.txt", (_, reply) =>
    keepable(reply, "text/plain; charset=utf-8").send(
      [
        "User-agent: *",
        ...closed.map((path) => `Disallow: ${path}`),
        `Sitemap: ${hub.config.baseUrl}/sitemap.xml`,
        "",
      ].join("\n"),
    ),
  );

  app.get("/sitemap.xml", (request, reply) =>
    send(request, reply, "index", async () => {
      const blocks = await sitemapBlocks(hub);
      return asXml(
        "sitemapindex",
        "sitemap",
        blocks.map((id) => `/sitemaps/${id}.xml`),
      );
    }),
  );

  app.get<{ Params: { block: string } }>("/sitemaps/:block.xml", (request, reply) =>
    send(request, reply, request.url, async () => {
      // Its own spelling alone, so that nobody fills the memory with others.
      const firstId = (await sitemapBlocks(hub)).find(
        (id) => request.url === `/sitemaps/${id}.xml`,
      );
      if (firstId === undefined) return null;
      return asXml("urlset", "url", await sitemapAddresses(hub, firstId));
    }),
  );
}

const keepable = (reply: FastifyReply, type: string) =>
  reply.type(type).header("cache-control", `public, max-age=${KEPT_SECONDS}`);
