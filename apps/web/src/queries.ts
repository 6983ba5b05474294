import type { AppRouter } from "@soul-hub/api";
import {
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
} from "@tanstack/react-query";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { msUntil } from "./clock.ts";
import { failureOf } from "./failures.ts";
import { hub, reconnect } from "./hub.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

export type SoulAnswer = Outputs["souls"]["read"];
export type Soul = SoulAnswer["data"];
/** What a room shows of its soul. */
export type RoomSoul = Pick<
  Soul,
  | "id"
  | "title"
  | "description"
  | "content"
  | "file_type"
  | "has_package"
  | "is_public"
  | "nft_contract"
  | "version"
  | "version_note"
>;
export type SoulListEntry = Outputs["souls"]["list"]["data"][number];
export type SoulFields = Inputs["souls"]["publish"];
export type SoulSort = NonNullable<Inputs["souls"]["list"]["sort"]>;
/** A former version in the history of a soul, without its texts. */
export type VersionEntry = Outputs["versions"]["list"]["data"][number];
/** One version of a soul, former or present, with its texts. */
export type SoulVersion = Outputs["versions"]["get"]["data"];
export type VersionSignature = NonNullable<SoulVersion["signature"]>;
type AppsAnswer = Outputs["apps"]["list"]["data"];
export type MiniAppEntry = Extract<AppsAnswer, readonly unknown[]>[number];
export type MiniApp = Exclude<AppsAnswer, readonly unknown[]>;
export type MiniAppField = MiniApp["fields"][number];
export type ChatSession = Outputs["chat"]["sessions"]["sessions"][number];
/** The messages that a search has found. */
export type SearchAnswer = Outputs["chat"]["search"]["data"];
/** A version of a room's summary. */
export type SummaryVersion = Outputs["rooms"]["summary"]["data"]["history"][number];
/** A person as the owner of a room sees it. */
export type RoomPerson = Outputs["rooms"]["people"]["data"][number];
export type SharedConversation = Outputs["shares"]["get"]["data"];
export type ApiKey = Outputs["accounts"]["keys"]["keys"][number];
export type Session = Outputs["accounts"]["sessions"]["sessions"][number];
export type KeyScope = ApiKey["scopes"][number];
export type ProviderKey = Outputs["byok"]["list"]["keys"][number];
export type ProviderName = ProviderKey["provider"];
type QuotaAnswer = Outputs["chat"]["quota"];
/** The caller's quota, and the daily limit of an account without a pass. */
export type Quota = QuotaAnswer["quota"] & Pick<QuotaAnswer, "account_daily_limit">;
export type HubInfo = Outputs["about"]["hub"];
/** The target of a report or a case. */
export type GivenTarget = Pick<
  Inputs["moderation"]["report"],
  "kind" | "soul_id" | "session_token" | "message_id" | "username"
>;
export type ReportReason = Inputs["moderation"]["report"]["reason"];
/** A decision of the staff about the member. */
export type Notice = Outputs["moderation"]["notices"]["data"][number];
export type ModTarget = Notice["target"];
export type ModAction = Notice["action"];
/** A case of moderation in a list, and one with its evidence. */
export type ListedCase = Outputs["moderation"]["cases"]["data"][number];
export type ModCase = Outputs["moderation"]["case"]["data"];
export type ModDecision = ModCase["decisions"][number];
/** The results of imports and of their dry runs. REST alone takes files. */
export type ImportResult = Outputs["souls"]["import"];
export type ArchiveResult = Outputs["archive"]["import"];
/** Changes by the owner of a room: of its settings, and of a person. */
export type RoomChange = Inputs["rooms"]["set"];
export type PersonChange = Pick<Inputs["rooms"]["setPerson"], "state" | "minutes">;
export type Me = Outputs["accounts"]["me"]["user"];

/** The names that the page shows for the orders of the list of souls. */
export const soulSorts: Readonly<Record<SoulSort, string>> = {
  newest: "Newest",
  popular: "Most liked",
  rating: "Best rated",
  forks: "Most forked",
  updated: "Recently updated",
};

export interface SoulSearch {
  q: string;
  role: string;
  sort: SoulSort | undefined;
  /** `text` searches the words as written. By default, the hub also corrects slips. */
  match: "text" | undefined;
}

const PAGE = 24;
/** The largest offset that the API accepts (decisions §2). */
const MAX_OFFSET = 10_000;

/** Reads the account again if a call fails with `account_suspended`: the banner then shows. */
const onError = (error: Error) => {
  if (failureOf(error).code === "account_suspended") void invalidate(me.queryKey);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 20_000,
      refetchOnWindowFocus: false,
      // Only transient failures are retried.
      retry: (count, error) => failureOf(error).mayPass && count < 2,
    },
  },
});

interface ListPage {
  count: number;
  has_more: boolean;
}

/** The offset of the next page of a list; undefined after the last page that the API serves. */
function nextOffset({ has_more }: ListPage, pages: readonly ListPage[]): number | undefined {
  const seen = pages.reduce((sum, { count }) => sum + count, 0);
  return has_more && seen <= MAX_OFFSET ? seen : undefined;
}

/** A call of the hub, which TanStack Query can abort. */
type Ask<Answer> = (options: { signal: AbortSignal }) => Promise<Answer>;

const hubQuery = <Answer, Key extends QueryKey>(queryKey: Key, ask: Ask<Answer>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => ask({ signal }) });

/** The options of a query whose answer has its content in `data`. */
export const dataQuery = <Answer extends { data: unknown }, Key extends QueryKey>(
  queryKey: Key,
  ask: Ask<Answer>,
) => ({ ...hubQuery(queryKey, ask), select: ({ data }: Answer): Answer["data"] => data });

export const soulList = (search: SoulSearch) =>
  infiniteQueryOptions({
    queryKey: ["souls", search],
    queryFn: ({ pageParam, signal }) =>
      hub.souls.list.query({ ...search, limit: PAGE, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    placeholderData: (previous) => previous,
  });

export const mySouls = infiniteQueryOptions({
  queryKey: ["my-souls"],
  queryFn: ({ pageParam, signal }) =>
    hub.souls.mine.query({ limit: PAGE, offset: pageParam }, { signal }),
  initialPageParam: 0,
  getNextPageParam: nextOffset,
});

export const categoryList = {
  ...dataQuery(["categories"], (options) => hub.souls.categories.query(undefined, options)),
  staleTime: Number.POSITIVE_INFINITY,
};

export const soulById = (id: number) =>
  dataQuery(["soul", id], (options) => hub.souls.read.query({ id }, options));

/** The most similar souls that a soul's page shows. */
const SIMILAR = 6;

export const similarTo = (id: number) =>
  dataQuery(["similar", id], (options) => hub.souls.similar.query({ id, limit: SIMILAR }, options));

/** Whether the member likes a soul, and their rating of it. */
export const marksOf = (id: number) =>
  hubQuery(["marks", id], (options) => hub.social.marks.query({ soul_id: id }, options));

/**
 * The former versions of a soul without their texts, newest first.
 * @param present the number of the present version, where it may change while the page is open
 */
export const versionsOf = (id: number, present?: number) =>
  dataQuery(["versions", id, present], (options) =>
    hub.versions.list.query({ soul_id: id, content: false }, options),
  );

export const versionOf = (id: number, number: number) =>
  dataQuery(["version", id, number], (options) =>
    hub.versions.get.query({ soul_id: id, number }, options),
  );

export const profileOf = (username: string) =>
  hubQuery(["profile", username.toLowerCase()], (options) =>
    hub.social.profile.query({ username }, options),
  );

export interface MiniAppSearch {
  category: string;
  q: string;
}

export const miniAppList = (search: MiniAppSearch = { category: "", q: "" }) =>
  queryOptions({
    queryKey: ["apps", search],
    queryFn: ({ signal }) => hub.apps.list.query({ ...search }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (previous) => previous,
    select: ({ data }): readonly MiniAppEntry[] => (Array.isArray(data) ? data : []),
  });

export const miniAppBySlug = (slug: string) =>
  queryOptions({
    queryKey: ["app", slug],
    queryFn: ({ signal }) => hub.apps.list.query({ slug }, { signal }),
    select: ({ data }) => (Array.isArray(data) ? undefined : data),
  });

export const myChats = hubQuery(["my-chats"], (options) =>
  hub.chat.sessions.query(undefined, options),
);

/** The key of the messages that the server inlined into the room's page (0073). */
export const firstLines = (soul_id: number, session_token: string) =>
  ["first-lines", soul_id, session_token] as const;

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/** The versions of the summary of a room that the caller owns. */
export const summaryOf = (name: RoomName) =>
  dataQuery(["summary", name], (options) => hub.rooms.summary.query(name, options));

/** The people of a room that the caller owns. */
export const peopleOf = (name: RoomName) => ({
  ...dataQuery(["room-people", name], (options) => hub.rooms.people.query(name, options)),
  staleTime: 0,
});

/** The open invites to a private room that the caller owns. */
export const invitesOf = (name: RoomName) => ({
  ...dataQuery(["room-invites", name], (options) => hub.rooms.invites.query(name, options)),
  staleTime: 0,
});

/** The public links to a conversation that the caller owns. */
export const sharesOf = (name: RoomName) => ({
  ...dataQuery(["shares", name], (options) => hub.shares.list.query(name, options)),
  staleTime: 0,
});

/** Whether and until when the caller is muted in a room. The room's events do not contain it. */
export const mutedIn = (name: RoomName) =>
  queryOptions({
    queryKey: ["muted-in", name],
    queryFn: ({ signal }) => hub.rooms.get.query(name, { signal }),
    select: ({ data: { is_muted, muted_until } }) => ({ is_muted, muted_until }),
    staleTime: 0,
  });

/** A conversation that its owner has shared by a public link. */
export const sharedConversation = (share_id: string) => ({
  ...dataQuery(["share", share_id], (options) => hub.shares.get.query({ share_id }, options)),
  // Its owner may revoke the share at any time.
  refetchOnWindowFocus: "always" as const,
});

/** The member's named API keys, newest first. */
export const apiKeys = queryOptions({
  queryKey: ["api-keys"],
  queryFn: ({ signal }) => hub.accounts.keys.query(undefined, { signal }),
  select: ({ keys }) => keys.filter(({ is_main }) => !is_main),
});

export const providerKeys = queryOptions({
  queryKey: ["byok"],
  queryFn: ({ signal }) => hub.byok.list.query(undefined, { signal }),
  select: ({ keys }) => keys,
});

/** The member's signed-in sessions. */
export const sessionList = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => hub.accounts.sessions.query(undefined, { signal }),
  select: ({ sessions }) => sessions,
});

/** The people whom the member has blocked, the latest first. */
export const blockList = dataQuery(["blocks"], (options) =>
  hub.accounts.blocks.query(undefined, options),
);

/** The features and rules of the hub (0058). */
export const hubInfo = queryOptions({
  queryKey: ["hub"],
  queryFn: ({ signal }) => hub.about.hub.query(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The signed-in member; null for a guest. */
export const me = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await hub.accounts.whoAmI.query(undefined, { signal })).user,
  staleTime: 60_000,
});

/** A random delay in milliseconds: the pages of a hub do not all ask at the same moment. */
const resetDelay = 1_000 + Math.random() * 5_000;
const RETRY_MS = 600_000;

/** The caller's quota. The response also sets the guest cookie that a room's WebSocket needs. */
export const quota = queryOptions({
  queryKey: ["quota"],
  queryFn: ({ signal }) => hub.chat.quota.query(undefined, { signal }),
  select: ({ quota: current, account_daily_limit }) => ({ ...current, account_daily_limit }),
  refetchInterval({ state: { data } }) {
    if (!data) return false;
    const wait = msUntil(data.quota.resets_at) + resetDelay;
    // This clock may be ahead of the hub's, and the hub may be down.
    return wait > 0 ? wait : RETRY_MS;
  },
  refetchIntervalInBackground: true,
});

/** Marks cached data as outdated and refetches those parts that the page shows. */
export const invalidate = (...keys: QueryKey[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Marks a soul and its history as outdated. */
export const invalidateHistory = (id: number) =>
  invalidate(["soul", id], ["versions", id], ["version", id]);

/** Data that is the same for every caller. */
const ofHub: ReadonlySet<unknown> = new Set(["categories", "hub"]);

/**
 * Refetches everything but the data of the hub after signing in or out: the cached data belongs to
 * another caller.
 */
export async function resetQueries(): Promise<void> {
  reconnect();
  await queryClient.resetQueries({ predicate: ({ queryKey: [what] }) => !ofHub.has(what) });
}
