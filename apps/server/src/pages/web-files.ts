import path from "node:path";
import fastifyStatic from "@fastify/static";
import { type Hub, readPage } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isBesidePages } from "./beside-pages.ts";
import type { BuiltPages } from "./built-pages.ts";
import { compressed } from "./compressed.ts";
import { withHead } from "./page-head.ts";
import { withAhead } from "./sent-ahead.ts";
import { sitemap } from "./sitemap.ts";

/** Everything a page may do, and nothing more: souls, names and replies are hostile text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // Text becomes elements in DOMPurify alone; the page's own policy lets none through.
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

/** Serves the built web client: its files, and its index at every other address, with 404 where there is no page. */
export async function webFiles(
  app: FastifyInstance,
  hub: Hub,
  { directory, index, filesOf }: BuiltPages,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: directory,
    wildcard: false,
    index: false,
    // Brotli and gzip of each file are made when the page is built.
    preCompressed: true,
    setHeaders: (reply, file) => {
      // Vite names what it builds by its content.
      const lasts = file.includes(`${path.sep}assets${path.sep}`);
      reply.header("cache-control", lasts ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  sitemap(app, hub);
  app.get("/*", async (request, reply) => {
    if (isBesidePages(request.url)) return reply.callNotFound();
    const { baseUrl } = hub.config;
    const elsewhere = otherLoopbackName(request, baseUrl);
    if (elsewhere) return reply.redirect(elsewhere, 307);
    const pathname = request.url.split("?", 1)[0] ?? "/";
    const files = filesOf(pathname);
    const hasQuery = request.url.includes("?");
    const { preview, data } = files
      ? await readPage(hub, { pathname, hasQuery, ip: request.ip })
      : NO_PAGE;
    const page = withHead(index, preview, { baseUrl, pathname });
    // An address of nothing is like any other, whoever may know more of it.
    const whole = files && preview !== null ? withAhead(page, { files, data }) : page;
    const { encoding, body } = await compressed(whole, request.headers["accept-encoding"]);
    if (encoding) reply.header("content-encoding", encoding);
    return asPage(reply)
      .status(preview === null ? 404 : 200)
      .send(body);
  });
}

const NO_PAGE = { preview: null, data: {} };

const asPage = (reply: FastifyReply) =>
  reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy)
    .header("referrer-policy", "strict-origin-when-cross-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .header("permissions-policy", "camera=(), geolocation=(), microphone=()")
    .header("vary", "accept-encoding")
    .header("cache-control", "no-cache");

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Somebody who opens 127.0.0.1 where the hub calls itself localhost is sent to its own name: cookies
 * and origins (decisions §3, CSRF) know one name only.
 */
function otherLoopbackName(request: FastifyRequest, baseUrl: string): string | null {
  const base = new URL(baseUrl);
  const isOther =
    request.hostname !== base.hostname &&
    LOOPBACK.test(request.hostname) &&
    LOOPBACK.test(base.hostname);
  return isOther ? base.origin + request.url : null;
}
