import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { hub } from "../../hub.ts";
import { dataQuery, type ListedCase } from "../../queries.ts";

export type CaseState = ListedCase["state"];

// Other staff change all of this, so nothing is shown from the cache without a look at the hub.
const fresh = { staleTime: 0 } as const;

export const caseList = (state: CaseState) =>
  infiniteQueryOptions({
    queryKey: ["cases", state],
    queryFn: ({ pageParam: cursor, signal }) =>
      hub.moderation.cases.query({ state, cursor }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...fresh,
  });

export const caseById = (id: number) => ({
  ...dataQuery(["case", id], (options) => hub.moderation.case.query({ id }, options)),
  ...fresh,
});

export const hubPeople = (username: string) => ({
  ...dataQuery(["hub-people", username.toLowerCase()], (options) =>
    hub.moderation.people.query({ username: username || undefined }, options),
  ),
  ...fresh,
});

export const hubInvites = {
  ...dataQuery(["hub-invites"], (options) => hub.invites.list.query(undefined, options)),
  ...fresh,
};

export interface AuditFilter {
  actor: string;
  action: string;
}

export const auditLog = ({ actor, action }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", actor, action],
    queryFn: ({ pageParam: before_id, signal }) =>
      hub.audit.list.query(
        { actor: actor || undefined, action: action || undefined, before_id },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...fresh,
  });

/** The state of the hub and its parts. */
export const hubHealth = queryOptions({
  queryKey: ["hub-health"],
  queryFn: async ({ signal }) => {
    const read = async (path: string): Promise<Record<string, unknown>> =>
      (await fetch(path, { signal })).json();
    const [about, alive, ready] = await Promise.all([
      hub.about.hub.query(undefined, { signal }),
      read("/healthz"),
      read("/readyz"),
    ]);
    return { about, alive, ready };
  },
  ...fresh,
});
