import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends JSON with its ETag, or 304 to whoever holds it already (RFC 9110, 8.8.3 and 13.1.2). */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, body: Buffer) {
  const tag = `"${hash("sha1", body, "base64url")}"`;
  reply.header("etag", tag).header("vary", "Authorization, Cookie");
  const held = request.headers["if-none-match"];
  if (held !== undefined && names(held, tag)) return reply.code(304).send();
  return reply.header("content-type", JSON_TYPE).send(body);
}

/** The weak comparison: a cache may have marked what it holds as weak. */
const names = (header: string, tag: string): boolean =>
  header.trim() === "*" ||
  header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
