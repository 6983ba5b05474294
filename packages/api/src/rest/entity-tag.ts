import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Sends an answer with its ETag, or 304 to whoever holds it already (RFC 9110, 8.8.3 and 13.1.2). */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, body: Buffer) {
  const tag = `"${hash("sha1", body, "base64url")}"`;
  reply.header("etag", tag).header("vary", "Authorization, Cookie");
  const held = request.headers["if-none-match"];
  return held !== undefined && names(held, tag) ? reply.code(304).send() : reply.send(body);
}

/** The weak comparison: a cache may have marked what it holds as weak. */
const names = (header: string, tag: string): boolean =>
  header.trim() === "*" ||
  header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
