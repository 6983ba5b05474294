import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { hub } from "../../hub.ts";

/** The decisions of the staff about the member. */
export const notices = infiniteQueryOptions({
  queryKey: ["notices"],
  queryFn: ({ pageParam: cursor, signal }) => hub.moderation.notices.query({ cursor }, { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor,
  select: ({ pages }) => pages.flatMap(({ data }) => data),
  staleTime: 0,
});

/** One decision of the staff about the member, which may be on a later page of the list. */
export const noticeOf = (decision_id: number) =>
  queryOptions({
    queryKey: [...notices.queryKey, decision_id],
    queryFn: ({ signal }) => hub.moderation.notices.query({ decision_id }, { signal }),
    select: ({ data: [notice] }) => notice,
    staleTime: 0,
  });

/** The member's own reports with their outcomes. */
export const ownReports = infiniteQueryOptions({
  queryKey: ["own-reports"],
  queryFn: ({ pageParam: cursor, signal }) =>
    hub.moderation.ownReports.query({ cursor }, { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor,
  select: ({ pages }) => pages.flatMap(({ data }) => data),
  staleTime: 0,
});
