import type { FastifyRequest } from "fastify";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Returns the URL to redirect to when a request names another loopback host than the base URL.
 * Cookies, the origin check (decisions §3, CSRF) and the calls of /docs accept one host only.
 */
export function canonicalLoopbackUrl(request: FastifyRequest, baseUrl: string): string | null {
  const base = new URL(baseUrl);
  const isOther =
    request.hostname !== base.hostname &&
    LOOPBACK.test(request.hostname) &&
    LOOPBACK.test(base.hostname);
  return isOther ? base.origin + request.url : null;
}
