import type { AppRouter } from "@soul-hub/api";
import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { failureOf } from "./failures.ts";
import { hub, reconnectAsSomebodyElse } from "./hub.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

export type Soul = Outputs["souls"]["read"]["data"];
export type SoulListEntry = Outputs["souls"]["list"]["data"][number];
export type SoulFields = Inputs["souls"]["publish"];
export type SoulSort = NonNullable<Inputs["souls"]["list"]["sort"]>;
export type SoulVersion = Outputs["versions"]["list"]["data"][number];
type AppsAnswer = Outputs["apps"]["list"]["data"];
export type MiniAppEntry = Extract<AppsAnswer, readonly unknown[]>[number];
export type MiniApp = Exclude<AppsAnswer, readonly unknown[]>;
export type MiniAppField = MiniApp["fields"][number];
export type ChatSession = Outputs["chat"]["sessions"]["sessions"][number];
export type ProviderKey = Outputs["byok"]["list"]["keys"][number];
export type ProviderName = ProviderKey["provider"];
export type Quota = Outputs["chat"]["quota"]["quota"];
export type Me = Outputs["accounts"]["me"]["user"];

export interface SoulSearch {
  q: string;
  role: string;
  sort: SoulSort | undefined;
}

const PAGE = 24;
/** The hub refuses larger offsets (decisions §2); beyond them a narrower search helps more. */
const MAX_OFFSET = 10_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 20_000,
      refetchOnWindowFocus: false,
      // A refusal stays one however often it is asked; only what may pass is tried again.
      retry: (count, error) => failureOf(error).mayPass && count < 2,
    },
  },
});

export const soulList = ({ q, role, sort }: SoulSearch) =>
  infiniteQueryOptions({
    queryKey: ["souls", { q, role, sort }],
    queryFn: ({ pageParam, signal }) =>
      hub.souls.list.query({ q, role, sort, limit: PAGE, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const seen = pages.reduce((sum, { count }) => sum + count, 0);
      return seen < total && seen <= MAX_OFFSET && pages.at(-1)?.count ? seen : undefined;
    },
    placeholderData: (previous) => previous,
  });

export const mySouls = infiniteQueryOptions({
  queryKey: ["my-souls"],
  queryFn: ({ pageParam, signal }) =>
    hub.souls.mine.query({ limit: PAGE, offset: pageParam }, { signal }),
  initialPageParam: 0,
  getNextPageParam: ({ total }, pages) => {
    const seen = pages.reduce((sum, { count }) => sum + count, 0);
    return seen < total && pages.at(-1)?.count ? seen : undefined;
  },
});

export const categoryList = queryOptions({
  queryKey: ["categories"],
  queryFn: ({ signal }) => hub.souls.categories.query(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  select: ({ data }) => data,
});

export const soulById = (id: number) =>
  queryOptions({
    queryKey: ["soul", id],
    queryFn: ({ signal }) => hub.souls.read.query({ id }, { signal }),
    select: ({ data }) => data,
  });

/** Whether the signed-in person likes a soul, and how they rated it. */
export const marksOf = (id: number) =>
  queryOptions({
    queryKey: ["marks", id],
    queryFn: ({ signal }) => hub.social.marks.query({ soul_id: id }, { signal }),
  });

/** Earlier states, the newest first. */
export const versionsOf = (id: number) =>
  queryOptions({
    queryKey: ["versions", id],
    queryFn: ({ signal }) => hub.versions.list.query({ soul_id: id }, { signal }),
    select: ({ data }) => data,
  });

export const profileOf = (username: string) =>
  queryOptions({
    queryKey: ["profile", username.toLowerCase()],
    queryFn: ({ signal }) => hub.social.profile.query({ username }, { signal }),
  });

export const miniAppList = queryOptions({
  queryKey: ["apps"],
  queryFn: ({ signal }) => hub.apps.list.query({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  select: ({ data }): readonly MiniAppEntry[] => (Array.isArray(data) ? data : []),
});

export const miniAppBySlug = (slug: string) =>
  queryOptions({
    queryKey: ["apps", slug],
    queryFn: ({ signal }) => hub.apps.list.query({ slug }, { signal }),
    select: ({ data }) => (Array.isArray(data) ? undefined : data),
  });

export const myChats = queryOptions({
  queryKey: ["my-chats"],
  queryFn: ({ signal }) => hub.chat.sessions.query(undefined, { signal }),
});

export const providerKeys = queryOptions({
  queryKey: ["byok"],
  queryFn: ({ signal }) => hub.byok.list.query(undefined, { signal }),
  select: ({ keys }) => keys,
});

/** The browsers that are signed in as this person. */
export const sessionList = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => hub.accounts.sessions.query(undefined, { signal }),
  select: ({ sessions }) => sessions,
});

/** Who is signed in; null for a guest, which is no failure here. */
export const me = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await hub.accounts.whoAmI.query(undefined, { signal })).user,
  staleTime: 60_000,
});

/** Also gives a guest the cookie that the room's socket needs. */
export const quota = queryOptions({
  queryKey: ["quota"],
  queryFn: ({ signal }) => hub.chat.quota.query(undefined, { signal }),
  select: ({ quota: left }) => left,
});

/** After signing in or out nothing that was read before can be trusted; what is shown is read anew. */
export async function forgetEverything(): Promise<void> {
  reconnectAsSomebodyElse();
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "categories" });
}
