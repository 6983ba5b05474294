import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";

/**
 * The token of a mailed link, from the address's fragment, which browsers send to no server (0059).
 * It is empty if the address was not copied whole.
 */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash });

/**
 * Asks what a mailed link does. Programs that check mails open links, so this uses none.
 * @param isReset true on the page of links to a new password, where no other link works
 */
export function useMailedLink(token: string, isReset: boolean) {
  const query = useQuery({
    queryKey: ["mailed-link", token],
    queryFn: () => hub.accounts.describeLink.mutate({ token }),
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isForeign = query.data && (query.data.purpose === "reset-password") !== isReset;
  return { ...query, isUseless: token === "" || isForeign || isUselessLink(query.error) };
}

/** True for the failure of a link that was used, is too old, or was not copied whole. */
export function isUselessLink(error: Error | null): boolean {
  const failure = error && failureOf(error);
  return failure?.code === "token_invalid" || failure?.fields.token !== undefined;
}
