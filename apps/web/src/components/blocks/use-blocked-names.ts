import { useQuery } from "@tanstack/react-query";
import { blockList, me } from "../../queries.ts";

type Answer = Parameters<NonNullable<typeof blockList.select>>[0];

/** The same function on each call, so that the set stays the same until the list changes. */
const toNames = ({ data }: Answer): ReadonlySet<string> =>
  new Set(data.map(({ username }) => username));

const none: ReadonlySet<string> = new Set();

/** The usernames of the people whom the member has blocked; empty for a guest. */
export function useBlockedNames(): ReadonlySet<string> {
  const { data: user } = useQuery(me);
  const { data = none } = useQuery({ ...blockList, select: toNames, enabled: Boolean(user) });
  return data;
}
