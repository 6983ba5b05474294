/**
 * Whether a URL belongs to the API, its documentation or the built assets. Such a URL has no page.
 */
export const isReservedPath = (url: string): boolean =>
  /^\/(api|trpc|v1|mcp|docs|assets|\.well-known)(\/|\?|$)/.test(url);
