/** Doors and files: no page stands below these addresses. */
export const isBesidePages = (url: string): boolean =>
  /^\/(api|trpc|docs|assets)(\/|\?|$)/.test(url);
