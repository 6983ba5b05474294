import { useLocation } from "@tanstack/react-router";

/**
 * The token of a mailed link, from the address's fragment, which browsers send to no server (0059).
 * It is empty if the address was not copied whole.
 */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash });
