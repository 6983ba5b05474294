import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { allowSharedCaches } from "./cdn-cache.ts";

interface Sent {
  body: string | Buffer;
  mediaType?: string;
  isShared: boolean;
  cdnCache: boolean;
}

/**
 * Sends a response, by default as JSON.
 * @param isShared if true, adds an ETag (RFC 9110, 8.8.3). The response is 304 if `If-None-Match`
 *   contains that ETag (RFC 9110, 13.1.2).
 * @param cdnCache if true, shared caches may store a shared response (decisions §7)
 */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, mediaType = "application/json; charset=utf-8", isShared, cdnCache }: Sent,
) {
  if (isShared) {
    if (cdnCache) allowSharedCaches(request, reply);
    const tag = `"${hash("sha1", body, "base64url")}"`;
    reply.header("etag", tag).header("vary", "Authorization, Cookie");
    const condition = request.headers["if-none-match"];
    if (condition !== undefined && matches(condition, tag)) return reply.code(304).send();
  }
  return reply.header("content-type", mediaType).send(body);
}

/**
 * Compares `If-None-Match` with an ETag (weak comparison, RFC 9110, 8.8.3.2). A cache may have
 * marked the ETag as weak.
 */
const matches = (header: string, tag: string): boolean =>
  header.trim() === "*" ||
  header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
