import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { ErrorPage } from "./components/feedback/error-page.tsx";
import { PagePending } from "./components/feedback/page-pending.tsx";
import {
  categoryList,
  hubInfo,
  miniAppBySlug,
  miniAppList,
  profileOf,
  queryClient,
  quota,
  type SoulSort,
  sharedConversation,
  soulById,
  soulList,
  soulSorts,
  versionOf,
  versionsOf,
} from "./queries.ts";
import { NotFoundPage } from "./routes/not-found.tsx";
import { RootLayout } from "./routes/root-layout.tsx";

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

const text = (value: unknown, max: number) =>
  typeof value === "string" || typeof value === "number" ? String(value).slice(0, max) : "";

interface BrowseSearch {
  q?: string | undefined;
  role?: string | undefined;
  sort?: SoulSort | undefined;
  match?: "text" | undefined;
}

// Validated search parameters contain every key, with undefined for an unusable value. The router
// merges them over the raw parameters, so an omitted key would keep its raw value.

function readBrowseSearch(search: Record<string, unknown>): BrowseSearch {
  const sort = text(search.sort, 20);
  return {
    q: text(search.q, 200) || undefined,
    role: text(search.role, 100) || undefined,
    sort: Object.hasOwn(soulSorts, sort) ? (sort as SoulSort) : undefined,
    match: search.match === "text" ? "text" : undefined,
  };
}

const browse = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: readBrowseSearch,
  loaderDeps: ({ search: { q = "", role = "", sort, match } }) => ({ q, role, sort, match }),
  // The queries are not awaited: the page shows a skeleton meanwhile.
  loader: ({ deps }) => {
    void queryClient.prefetchQuery(categoryList);
    void queryClient.prefetchInfiniteQuery(soulList(deps));
  },
}).lazy(() => import("./routes/browse.tsx").then(({ route }) => route));

const soulId = {
  parse: ({ id }: { id: string }) => ({ id: readId(id) }),
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
};

/** Parses the id of a soul. Returns 0 for any other text, because no soul has the id 0. */
const readId = (raw: string) => (/^[1-9]\d{0,15}$/.test(raw) ? Number(raw) : 0);

const soul = createRoute({
  getParentRoute: () => root,
  path: "/soul/$id",
  params: soulId,
  loader: ({ params }) => {
    if (params.id) void queryClient.prefetchQuery(soulById(params.id));
  },
}).lazy(() => import("./routes/soul.tsx").then(({ route }) => route));

const editSoul = createRoute({
  getParentRoute: () => root,
  path: "/soul/$id/edit",
  params: soulId,
}).lazy(() => import("./routes/edit-soul.tsx").then(({ route }) => route));

interface HistorySearch {
  /** The number of the version to show. Default: the present one. */
  version?: number | undefined;
  /**
   * The number of the version to compare it with; 0 shows the whole text. Default: the version
   * before.
   */
  with?: number | undefined;
}

function readHistorySearch(search: Record<string, unknown>): HistorySearch {
  const number = (value: unknown) => readId(text(value, 16)) || undefined;
  return {
    version: number(search.version),
    with: text(search.with, 16) === "0" ? 0 : number(search.with),
  };
}

const soulHistory = createRoute({
  getParentRoute: () => root,
  path: "/soul/$id/history",
  params: soulId,
  validateSearch: readHistorySearch,
  loaderDeps: ({ search: { version, with: other } }) => ({ version, other }),
  loader: ({ params: { id }, deps: { version, other } }) => {
    if (!id) return;
    void queryClient.prefetchQuery(soulById(id));
    void queryClient.prefetchQuery(versionsOf(id));
    for (const number of [version, other]) {
      if (number) void queryClient.prefetchQuery(versionOf(id, number));
    }
  },
}).lazy(() => import("./routes/soul-history.tsx").then(({ route }) => route));

const profile = createRoute({
  getParentRoute: () => root,
  path: "/u/$username",
  loader: ({ params }) => void queryClient.prefetchQuery(profileOf(params.username)),
}).lazy(() => import("./routes/profile.tsx").then(({ route }) => route));

const publish = createRoute({ getParentRoute: () => root, path: "/publish" }).lazy(() =>
  import("./routes/publish.tsx").then(({ route }) => route),
);

const room = createRoute({
  getParentRoute: () => root,
  path: "/chat/$id/$session",
  // The message to show, e.g. one that a search has found.
  validateSearch: (search: Record<string, unknown>): { at?: number | undefined } => ({
    at: readId(text(search.at, 16)) || undefined,
  }),
  params: {
    parse: ({ id, session }) => ({ id: readId(id), session }),
    stringify: ({ id, session }) => ({ id: String(id), session }),
  },
  loader: ({ params }) => {
    void queryClient.prefetchQuery(quota);
    if (params.id) void queryClient.prefetchQuery(soulById(params.id));
  },
}).lazy(() => import("./routes/room.tsx").then(({ route }) => route));

const miniApps = createRoute({
  getParentRoute: () => root,
  path: "/apps",
  validateSearch: (
    search: Record<string, unknown>,
  ): { category?: string | undefined; q?: string | undefined } => ({
    category: text(search.category, 100) || undefined,
    q: text(search.q, 200) || undefined,
  }),
  loaderDeps: ({ search: { category = "", q = "" } }) => ({ category, q }),
  loader: ({ deps }) => {
    void queryClient.prefetchQuery(miniAppList());
    void queryClient.prefetchQuery(miniAppList(deps));
  },
}).lazy(() => import("./routes/mini-apps/mini-apps.tsx").then(({ route }) => route));

const miniApp = createRoute({
  getParentRoute: () => root,
  path: "/apps/$slug",
  validateSearch: (search: Record<string, unknown>): { soul?: number | undefined } => ({
    soul: readId(text(search.soul, 16)) || undefined,
  }),
  loader: ({ params }) => void queryClient.prefetchQuery(miniAppBySlug(params.slug)),
}).lazy(() => import("./routes/mini-apps/mini-app.tsx").then(({ route }) => route));

const share = createRoute({
  getParentRoute: () => root,
  path: "/share/$share",
  loader: ({ params }) => void queryClient.prefetchQuery(sharedConversation(params.share)),
}).lazy(() => import("./routes/share.tsx").then(({ route }) => route));

const join = createRoute({ getParentRoute: () => root, path: "/join/$invite" }).lazy(() =>
  import("./routes/join.tsx").then(({ route }) => route),
);

const chats = createRoute({
  getParentRoute: () => root,
  path: "/my-chats",
  validateSearch: (search: Record<string, unknown>): { q?: string | undefined } => ({
    q: text(search.q, 200) || undefined,
  }),
}).lazy(() => import("./routes/my-chats.tsx").then(({ route }) => route));

/** The path to open after the sign-in. Undefined for an address outside this site. */
function readNext(search: Record<string, unknown>): { next?: string | undefined } {
  const next = text(search.next, 500);
  const url = next.startsWith("/") ? URL.parse(next, location.origin) : null;
  const isLocal = url?.origin === location.origin;
  return { next: isLocal ? url.pathname + url.search + url.hash : undefined };
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: readNext,
}).lazy(() => import("./routes/sign-in.tsx").then(({ route }) => route));

const walletSignIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/wallet",
  validateSearch: readNext,
}).lazy(() => import("./routes/wallet-sign-in.tsx").then(({ route }) => route));

const wallet = createRoute({ getParentRoute: () => root, path: "/wallet" }).lazy(() =>
  import("./routes/wallet.tsx").then(({ route }) => route),
);

const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  validateSearch: readNext,
  loader: () => void queryClient.prefetchQuery(hubInfo),
}).lazy(() => import("./routes/sign-up.tsx").then(({ route }) => route));

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  loader: () => void queryClient.prefetchQuery(hubInfo),
}).lazy(() => import("./routes/account/forgot-password.tsx").then(({ route }) => route));

const resetPassword = createRoute({ getParentRoute: () => root, path: "/reset-password" }).lazy(
  () => import("./routes/account/reset-password.tsx").then(({ route }) => route),
);

const verifyEmail = createRoute({ getParentRoute: () => root, path: "/verify-email" }).lazy(() =>
  import("./routes/account/verify-email.tsx").then(({ route }) => route),
);

const undoDeletion = createRoute({ getParentRoute: () => root, path: "/undo-deletion" }).lazy(() =>
  import("./routes/account/undo-deletion.tsx").then(({ route }) => route),
);

const mine = createRoute({ getParentRoute: () => root, path: "/my-souls" }).lazy(() =>
  import("./routes/my-souls.tsx").then(({ route }) => route),
);

/** The groups of settings by their addresses; none is the first one, or their list on a phone. */
const settingsGroups = ["account", "security", "keys", "data", "people"] as const;

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings/{-$group}",
  params: {
    parse: ({ group }) => ({ group: settingsGroups.find((one) => one === group) }),
    stringify: ({ group }) => ({ group }),
  },
}).lazy(() => import("./routes/settings.tsx").then(({ route }) => route));

const notices = createRoute({ getParentRoute: () => root, path: "/notices" }).lazy(() =>
  import("./routes/notices.tsx").then(({ route }) => route),
);

/** The parts of the staff's page besides the queue. */
const adminViews = ["people", "invites", "audit", "health"] as const;
const caseStates = ["appealed", "closed"] as const;

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    view?: (typeof adminViews)[number] | undefined;
    state?: (typeof caseStates)[number] | undefined;
    case?: number | undefined;
  } => ({
    view: adminViews.find((view) => view === search.view),
    state: caseStates.find((state) => state === search.state),
    case: readId(text(search.case, 16)) || undefined,
  }),
}).lazy(() => import("./routes/admin/admin.tsx").then(({ route }) => route));

export const router = createRouter({
  routeTree: root.addChildren([
    browse,
    soul,
    editSoul,
    soulHistory,
    profile,
    miniApps,
    miniApp,
    chats,
    publish,
    room,
    share,
    join,
    signIn,
    walletSignIn,
    wallet,
    signUp,
    forgotPassword,
    resetPassword,
    verifyEmail,
    undoDeletion,
    mine,
    settings,
    notices,
    admin,
  ]),
  defaultPreload: "intent",
  // The router passes every preload to TanStack Query, which decides when data is stale.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ErrorPage,
  defaultPendingComponent: PagePending,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  /** State of a navigation that is not part of the URL. */
  interface HistoryState {
    /** Text to put into the composer of the room that opens. */
    draft?: string;
    /** When the account that was just closed will be deleted, in UTC. */
    deletesAt?: string;
  }
  interface Register {
    router: typeof router;
  }
}
