import path from "node:path";
import fastifyStatic from "@fastify/static";
import { type Hub, readPage } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply } from "fastify";
import { serveLlmsText } from "../discovery/llms-text.ts";
import { prefersMarkdown } from "../discovery/prefers-markdown.ts";
import { sendSoulMarkdown, serveSoulMarkdown, soulIdIn } from "../discovery/soul-markdown.ts";
import type { BuiltPages } from "./built-pages.ts";
import { canonicalLoopbackUrl } from "./canonical-url.ts";
import { compressPage } from "./compress-page.ts";
import { inlinePageData } from "./inline-page-data.ts";
import { withHead } from "./page-head.ts";
import { servePreviews } from "./previews/serve-previews.ts";
import { isReservedPath } from "./reserved-paths.ts";
import { sitemap } from "./sitemap.ts";
import { withStaticContent } from "./static-content.ts";

/**
 * Allows a page only the sources that it uses, because souls, usernames and replies may contain
 * attacks.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // Trusted Types: only DOMPurify may turn text into elements. The default policy refuses any text
  // that contains "<".
  "require-trusted-types-for 'script'",
  "trusted-types dompurify default",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Files that only the server reads. If served as static files, they would lack the page headers.
 */
const NOT_SERVED = ["index.html*", "page-files.json*"];

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Serves the built web client: its files, and a page at every path that the router knows.
 * Other paths get the same page with status 404.
 */
export async function servePages(
  root: FastifyInstance,
  hub: Hub,
  { directory, index, filesOf }: BuiltPages,
): Promise<void> {
  // A Fastify plugin has a scope of its own, so its hook applies to the routes of pages only.
  await root.register(async (app) => {
    app.addHook("onSend", async (_request, reply) => {
      // The base URL is read for each response: with PORT=0 it is known only after the server
      // listens.
      if (!hub.config.baseUrl.startsWith("https:")) return;
      reply.header("strict-transport-security", `max-age=${ONE_YEAR_SECONDS}`);
    });
    await app.register(fastifyStatic, {
      root: directory,
      wildcard: false,
      index: false,
      globIgnore: NOT_SERVED,
      // The build writes a Brotli and a gzip copy of each file.
      preCompressed: true,
      setHeaders: (reply, file) => {
        // Vite puts a content hash into the names of its assets.
        const isHashed = file.includes(`${path.sep}assets${path.sep}`);
        const lasting = `public, max-age=${ONE_YEAR_SECONDS}, immutable`;
        reply.header("cache-control", isHashed ? lasting : "no-cache");
      },
    });
    sitemap(app, hub);
    servePreviews(app, hub);
    serveLlmsText(app, hub);
    serveSoulMarkdown(app, hub);
    app.get("/*", async (request, reply) => {
      if (isReservedPath(request.url)) return reply.callNotFound();
      const { baseUrl } = hub.config;
      const canonical = canonicalLoopbackUrl(request, baseUrl);
      if (canonical) return reply.redirect(canonical, 307);
      const pathname = request.url.split("?", 1)[0] ?? "/";
      const soulId = soulIdIn(pathname);
      reply.header(
        "vary",
        soulId === undefined ? "accept-encoding, cookie" : "accept-encoding, accept",
      );
      if (soulId !== undefined && prefersMarkdown(request.headers.accept)) {
        return sendSoulMarkdown(hub, request, reply, soulId);
      }
      const hasCookie = request.headers.cookie !== undefined;
      const hasQuery = request.url.includes("?");
      const files = filesOf(pathname);
      const { preview, data } = files
        ? await readPage(hub, { pathname, hasQuery, ip: request.ip, hasCookie })
        : { preview: null, data: {} };
      let page = withHead(index, preview, { baseUrl, pathname });
      // The page of a private soul equals that of a missing soul, so neither contains links or
      // data.
      if (files && preview !== null) {
        page = withStaticContent(inlinePageData(page, { files, data }), { preview, data });
      }
      const { encoding, body } = await compressPage(page, request.headers["accept-encoding"]);
      if (encoding) reply.header("content-encoding", encoding);
      withPageHeaders(reply);
      // The address of a room is the key to its messages.
      if (data.room) reply.header("x-robots-tag", "noindex, noarchive");
      if (data.room) reply.header("cache-control", "private, no-cache");
      return reply.status(preview === null ? 404 : 200).send(body);
    });
  });
}

const withPageHeaders = (reply: FastifyReply) =>
  reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy)
    .header("referrer-policy", "strict-origin-when-cross-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .header("permissions-policy", "camera=(), geolocation=(), microphone=()")
    .header("cache-control", "no-cache");
