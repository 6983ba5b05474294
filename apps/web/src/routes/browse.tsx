import "./browse.css";
import { NativeSelect } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { QueryFailure } from "../components/feedback/failure-view.tsx";
import { LoadMore } from "../components/feedback/load-more.tsx";
import { CategoryChips } from "../components/soul/category-chips.tsx";
import { SoulGrid, useCategory } from "../components/soul/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul/soul-card-skeleton.tsx";
import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { Sigil } from "../components/ui/sigil.tsx";
import { exactCount } from "../counts.ts";
import { categoryList, type SoulSort, soulList, soulSorts } from "../queries.ts";

export const route = createLazyRoute("/")({ component: BrowsePage });

/** The number of cards that a large window shows before scrolling. */
const FIRST_CARDS = 9;
/** The number of categories that a search without a result offers. */
const OFFERED_CATEGORIES = 3;

function BrowsePage() {
  const { q = "", role = "", sort, match } = route.useSearch();
  const list = useInfiniteQuery(soulList({ q, role, sort, match }));
  const found = list.data?.pages.flatMap(({ data }) => data) ?? [];
  // On a fresh page load only a few cards render at first, which keeps a phone responsive.
  // Otherwise all cards render at once, because a shorter page could not restore its scroll
  // position.
  const souls = useDeferredValue(found, useIsFreshLoad() ? found.slice(0, FIRST_CARDS) : found);
  const byMeaning = souls.filter(({ match }) => match === "meaning");
  const [first] = list.data?.pages ?? [];
  // The hub counts matches by text. Once slips or meaning add others, the last page tells the number.
  const isByText = !found.some(({ match }) => match === "slip" || match === "meaning");
  const counted = isByText ? first?.total : undefined;
  const total = counted ?? (list.hasNextPage || isByText ? undefined : found.length);
  const corrected = first?.search?.corrected;
  const isFrontPage = !q && !role;
  usePageTitle(q ? `${q} · Soul Hub` : "Soul Hub");
  return (
    <div className="page">
      {isFrontPage && <Hero />}
      <CategoryChips page="/" chosen={role} />
      <div className="row row--apart browse__bar">
        {list.isLoadingError ? (
          <span />
        ) : (
          <ResultCount
            q={q}
            role={role}
            total={total}
            seen={found.length}
            isKnown={list.isSuccess}
          />
        )}
        <SortChoice sort={sort} isSearch={q !== ""} />
      </div>
      {corrected && <Correction q={q} corrected={corrected} />}
      {list.isPending && <SoulCardSkeletons />}
      {list.isError && found.length === 0 && <QueryFailure query={list} />}
      {list.isSuccess && found.length === 0 && <NothingFound q={q} role={role} />}
      <div data-stale={list.isPlaceholderData}>
        <SoulGrid souls={souls.filter(({ match }) => match !== "meaning")} />
        {byMeaning.length > 0 && (
          <section aria-labelledby="by-meaning">
            <h2 id="by-meaning" className="browse__count browse__meaning">
              Close to what you meant
            </h2>
            <SoulGrid souls={byMeaning} />
          </section>
        )}
        {list.hasNextPage && <LoadMore list={list} />}
      </div>
    </div>
  );
}

/** Returns true if the user has just come to the site, without a reload or the back button. */
function useIsFreshLoad(): boolean {
  const { state } = useRouter();
  const [navigation] = performance.getEntriesByType("navigation");
  const { type } = navigation as PerformanceNavigationTiming;
  return type === "navigate" && state.resolvedLocation === undefined;
}

function Hero() {
  return (
    <section className="hero">
      <div>
        <h1 className="hero__title">
          <span>Find a soul.</span> <span>Talk to it together.</span>
        </h1>
        <p className="hero__lead">
          A soul is a character written for an AI: read all of it, open a room in one click, and
          share the link so that others can join.
        </p>
      </div>
      <div className="hero__masks">
        {[3, 12, 9, 26, 5, 20, 17, 34].map((id) => (
          <Sigil key={id} id={id} size={62} />
        ))}
      </div>
    </section>
  );
}

interface ResultCountProps {
  q: string;
  role: string;
  /** The number of matching souls; undefined while the hub has not counted them. */
  total: number | undefined;
  seen: number;
  isKnown: boolean;
}

function ResultCount({ q, role, total, seen, isKnown }: ResultCountProps) {
  const category = useCategory(role);
  const number = total === undefined ? `${exactCount(seen)}+` : exactCount(total);
  const souls = number === "1" ? "1 soul" : `${number} souls`;
  const text = `${souls}${q ? ` for “${q}”` : ""}${category ? ` in ${category}` : ""}`;
  // A search or category page has no hero, so the count of souls is its main heading.
  const Heading = q || role ? "h1" : "h2";
  return (
    <Heading className="browse__count" aria-live="polite">
      {isKnown ? text : "\u00a0"}
    </Heading>
  );
}

/** Names the question that the hub searched, and links to the search of the words as written. */
function Correction({ q, corrected }: { q: string; corrected: string }) {
  return (
    <p className="browse__correction" role="status">
      Showing <strong dir="auto">{corrected}</strong>.{" "}
      <Link to="/" search={(before) => ({ ...before, match: "text" })} resetScroll={false}>
        Search <bdi>{q}</bdi> as written
      </Link>
    </p>
  );
}

function SortChoice({ sort, isSearch }: { sort: SoulSort | undefined; isSearch: boolean }) {
  const navigate = useNavigate();
  const choices = Object.entries(soulSorts).map(([value, label]) => ({ value, label }));
  return (
    <NativeSelect
      size="sm"
      aria-label="Sort by"
      // The hub's default: a search sorts by relevance, any other list by age.
      value={sort ?? (isSearch ? "" : "newest")}
      data={isSearch ? [{ value: "", label: "Best match" }, ...choices] : choices}
      onChange={({ currentTarget }) => {
        const chosen = (currentTarget.value as SoulSort | "") || undefined;
        void navigate({
          to: "/",
          search: (before) => ({ ...before, sort: chosen }),
          resetScroll: false,
        });
      }}
    />
  );
}

function NothingFound({ q, role }: { q: string; role: string }) {
  const everywhere = q && role ? { q } : {};
  const { data: categories = [] } = useQuery(categoryList);
  return (
    <BlankSlate
      title={q ? `No souls match “${q}”` : "No souls here yet"}
      actions={
        <>
          <LinkButton to="/" search={everywhere} variant="default">
            {q && role ? "Search everywhere" : "See all souls"}
          </LinkButton>
          {categories
            .filter(({ slug }) => slug !== role)
            .slice(0, OFFERED_CATEGORIES)
            .map(({ slug, name, icon }) => (
              <LinkButton key={slug} to="/" search={{ role: slug }} variant="default">
                {icon} {name}
              </LinkButton>
            ))}
          <LinkButton to="/publish">Publish a soul</LinkButton>
        </>
      }
    >
      Try fewer or different words, or write the soul you are looking for.
    </BlankSlate>
  );
}
