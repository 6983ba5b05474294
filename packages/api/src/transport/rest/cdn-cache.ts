import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * A CDN serves a stored response for 30 s. For 30 s more it may serve it while it asks the hub
 * again, so that a hidden soul is gone after 60 s. While the hub answers 5xx, it may serve the
 * response for 5 minutes (RFC 9111, 5.2.2.10; RFC 5861).
 */
const SHARED = "public, max-age=0, s-maxage=30, stale-while-revalidate=30, stale-if-error=300";

/**
 * Allows shared caches to store the response, if the request has no cookie. A caller without a
 * cookie has no stale session either, so the response sets none (decisions §7).
 */
export function allowSharedCaches(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.cookie !== undefined) {
    reply.header("cache-control", "private, no-cache");
    return;
  }
  reply.header("cache-control", SHARED);
  // These headers count the calls of one caller, and a cache would show them to all others.
  for (const name of ["limit", "remaining", "reset"]) reply.removeHeader(`ratelimit-${name}`);
}
