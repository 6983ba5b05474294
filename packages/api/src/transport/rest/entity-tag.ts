import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { allowSharedCaches } from "./cdn-cache.ts";

interface Sent {
  body: string | Buffer;
  mediaType?: string;
  /**
   * The ETag of a shared response (RFC 9110, 8.8.3). The response is 304 if `If-None-Match` contains
   * it (RFC 9110, 13.1.2).
   */
  tag: string | undefined;
  /** True if shared caches may store a shared response (decisions §7). */
  cdnCache: boolean;
}

/** Returns the ETag of a body. */
export const tagOf = (body: string | Buffer): string => `"${hash("sha1", body, "base64url")}"`;

/** Sends a response, by default as JSON. */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, mediaType = "application/json; charset=utf-8", tag, cdnCache }: Sent,
) {
  if (tag !== undefined) {
    if (cdnCache) allowSharedCaches(request, reply);
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
