import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { ErrorPage } from "./components/error-page.tsx";
import { PagePending } from "./components/page-pending.tsx";
import type { SoulSort } from "./queries.ts";
import {
  categoryList,
  miniAppBySlug,
  miniAppList,
  profileOf,
  queryClient,
  quota,
  soulById,
  soulList,
  versionsOf,
} from "./queries.ts";
import { NotFoundPage } from "./routes/not-found.tsx";
import { RootLayout } from "./routes/root-layout.tsx";

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

const sorts: readonly string[] = [
  "newest",
  "popular",
  "rating",
  "forks",
  "updated",
] satisfies SoulSort[];
const text = (value: unknown, max: number) =>
  typeof value === "string" || typeof value === "number" ? String(value).slice(0, max) : "";

interface BrowseSearch {
  q?: string;
  role?: string;
  sort?: SoulSort;
}

/** A hand-typed address never fails: what means nothing is left out. */
function readBrowseSearch(search: Record<string, unknown>): BrowseSearch {
  const q = text(search.q, 200);
  const role = text(search.role, 100);
  const sort = text(search.sort, 20);
  return {
    ...(q && { q }),
    ...(role && { role }),
    ...(sorts.includes(sort) && { sort: sort as SoulSort }),
  };
}

const browse = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: readBrowseSearch,
  loaderDeps: ({ search: { q = "", role = "", sort } }) => ({ q, role, sort }),
  // Not awaited: the page shows its skeleton while they come.
  loader: ({ deps }) => {
    void queryClient.prefetchQuery(categoryList);
    void queryClient.prefetchInfiniteQuery(soulList(deps));
  },
}).lazy(() => import("./routes/browse.tsx").then(({ route }) => route));

const soulId = {
  parse: ({ id }: { id: string }) => ({ id: readId(id) }),
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
};

/** 0 stands for what can be no id; the hub then answers that there is no such soul. */
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

/** Two states to compare: a version's id each, 0 for the present. */
interface HistorySearch {
  from?: number;
  to?: number;
}

function readHistorySearch(search: Record<string, unknown>): HistorySearch {
  const state = (value: unknown) =>
    /^\d{1,16}$/.test(text(value, 16)) ? Number(value) : undefined;
  const from = state(search.from);
  const to = state(search.to);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

const soulHistory = createRoute({
  getParentRoute: () => root,
  path: "/soul/$id/history",
  params: soulId,
  validateSearch: readHistorySearch,
  loader: ({ params: { id } }) => {
    if (!id) return;
    void queryClient.prefetchQuery(soulById(id));
    void queryClient.prefetchQuery(versionsOf(id));
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
  loader: () => void queryClient.prefetchQuery(miniAppList),
}).lazy(() => import("./routes/mini-apps.tsx").then(({ route }) => route));

const miniApp = createRoute({
  getParentRoute: () => root,
  path: "/apps/$slug",
  validateSearch: (search: Record<string, unknown>): { soul?: number } => {
    const soul = readId(text(search.soul, 16));
    return soul ? { soul } : {};
  },
  loader: ({ params }) => void queryClient.prefetchQuery(miniAppBySlug(params.slug)),
}).lazy(() => import("./routes/mini-app.tsx").then(({ route }) => route));

const chats = createRoute({ getParentRoute: () => root, path: "/my-chats" }).lazy(() =>
  import("./routes/my-chats.tsx").then(({ route }) => route),
);

/** Where to go after signing in: a path of this site and nothing else. */
const readNext = (search: Record<string, unknown>): { next?: string } => {
  const next = text(search.next, 500);
  return /^\/(?![/\\])/.test(next) ? { next } : {};
};

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

const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  validateSearch: readNext,
}).lazy(() => import("./routes/sign-up.tsx").then(({ route }) => route));

const mine = createRoute({ getParentRoute: () => root, path: "/my-souls" }).lazy(() =>
  import("./routes/my-souls.tsx").then(({ route }) => route),
);

const settings = createRoute({ getParentRoute: () => root, path: "/settings" }).lazy(() =>
  import("./routes/settings.tsx").then(({ route }) => route),
);

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
    signIn,
    walletSignIn,
    signUp,
    mine,
    settings,
  ]),
  defaultPreload: "intent",
  // TanStack Query decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ErrorPage,
  defaultPendingComponent: PagePending,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  /** What goes along with a step and stands in no address. */
  interface HistoryState {
    /** A message that is ready to be sent in the room one is led to. */
    draft?: string;
  }
  interface Register {
    router: typeof router;
  }
}
