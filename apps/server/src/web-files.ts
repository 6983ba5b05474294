import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { HubConfig } from "@soul-hub/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const pages = path.resolve(
  fileURLToPath(import.meta.resolve("@soul-hub/web/package.json")),
  "../dist",
);

/** Everything a page may do, and nothing more: souls, names and replies are hostile text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the built web client; any other address that a page may have gets its index. False: not built. */
export async function webFiles(app: FastifyInstance, config: HubConfig): Promise<boolean> {
  if (!existsSync(path.join(pages, "index.html"))) return false;
  await app.register(fastifyStatic, {
    root: pages,
    wildcard: false,
    index: false,
    setHeaders: (reply, file) => {
      // Vite names what it builds by its content.
      const lasts = file.includes(`${path.sep}assets${path.sep}`);
      reply.header("cache-control", lasts ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  app.get("/*", (request, reply) => {
    if (isDoor(request.url)) return reply.callNotFound();
    const elsewhere = otherLoopbackName(request, config.baseUrl);
    if (elsewhere) return reply.redirect(elsewhere, 307);
    return sendIndex(reply);
  });
  return true;
}

const isDoor = (url: string) => /^\/(api|trpc|docs|assets)(\/|\?|$)/.test(url);

const sendIndex = (reply: FastifyReply) =>
  reply
    .header("content-security-policy", contentSecurityPolicy)
    .header("referrer-policy", "strict-origin-when-cross-origin")
    .header("cache-control", "no-cache")
    .sendFile("index.html");

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
