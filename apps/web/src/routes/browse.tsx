import "./browse.css";
import { Button, NativeSelect } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { BlankSlate } from "../components/blank-slate.tsx";
import { CategoryChips } from "../components/category-chips.tsx";
import { FailureView } from "../components/failure-view.tsx";
import { LoadMore } from "../components/load-more.tsx";
import { Sigil } from "../components/sigil.tsx";
import { SoulCard, useCategory } from "../components/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul-card-skeleton.tsx";
import { exactCount } from "../counts.ts";
import { failureOf } from "../failures.ts";
import { type SoulSort, soulList } from "../queries.ts";

export const route = createLazyRoute("/")({ component: BrowsePage });

/** What a large window shows before anybody scrolls. */
const FIRST_SEEN = 9;

function BrowsePage() {
  const { q = "", role = "", sort } = route.useSearch();
  const list = useInfiniteQuery(soulList({ q, role, sort }));
  const found = list.data?.pages.flatMap(({ data }) => data) ?? [];
  // Those that are seen first are drawn first, and the browser may answer before the others are.
  const souls = useDeferredValue(found, found.slice(0, FIRST_SEEN));
  const total = list.data?.pages[0]?.total ?? 0;
  const isFrontPage = !q && !role;
  useDocumentTitle(q ? `${q} · Soul Hub` : "Soul Hub");
  return (
    <div className="page">
      {isFrontPage && <Hero />}
      <CategoryChips chosen={role} />
      <div className="browse__bar">
        <ResultCount q={q} role={role} total={total} isKnown={list.isSuccess} />
        <SortChoice sort={sort} isSearch={q !== ""} />
      </div>
      {list.isPending && <SoulCardSkeletons />}
      {list.isError && found.length === 0 && (
        <FailureView failure={failureOf(list.error)} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && found.length === 0 && <NothingFound q={q} role={role} />}
      <div className="browse__list" data-stale={list.isPlaceholderData}>
        <ul className="soul-grid">
          {souls.map((soul) => (
            <li key={soul.id}>
              <SoulCard soul={soul} />
            </li>
          ))}
        </ul>
        {list.hasNextPage && (
          <LoadMore
            onLoad={() => void list.fetchNextPage()}
            isLoading={list.isFetchingNextPage}
            hasFailed={list.isFetchNextPageError}
          />
        )}
      </div>
    </div>
  );
}

function Hero() {
  return (
    <section className="hero">
      <div>
        <h1 className="hero__title">
          <span>Find a soul.</span> <span>Talk to it together.</span>
        </h1>
        <p className="hero__lead">
          A soul is a character written for an AI: read every word of it, open a room in one click,
          and send the link to whoever should join you.
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
  total: number;
  isKnown: boolean;
}

function ResultCount({ q, role, total, isKnown }: ResultCountProps) {
  const category = useCategory(role);
  const souls = total === 1 ? "1 soul" : `${exactCount(total)} souls`;
  const text = `${souls}${q ? ` for “${q}”` : ""}${category ? ` in ${category}` : ""}`;
  // Where the greeting is left out, this is what the page is about.
  const Heading = q || role ? "h1" : "h2";
  return (
    <Heading className="browse__count" aria-live="polite">
      {isKnown ? text : "\u00a0"}
    </Heading>
  );
}

const sorts: ReadonlyArray<{ value: SoulSort; label: string }> = [
  { value: "newest", label: "Newest" },
  { value: "popular", label: "Most liked" },
  { value: "rating", label: "Best rated" },
  { value: "forks", label: "Most forked" },
  { value: "updated", label: "Lately updated" },
];

function SortChoice({ sort, isSearch }: { sort: SoulSort | undefined; isSearch: boolean }) {
  const navigate = useNavigate();
  // Without a choice a search is ordered by how well it fits, everything else by age.
  const first = isSearch ? { value: "", label: "Best match" } : undefined;
  return (
    <NativeSelect
      size="sm"
      aria-label="Order"
      value={sort ?? (isSearch ? "" : "newest")}
      data={[...(first ? [first] : []), ...sorts]}
      onChange={({ currentTarget }) => {
        const chosen = sorts.find(({ value }) => value === currentTarget.value)?.value;
        void navigate({
          to: "/",
          search: ({ sort: _, ...rest }) => (chosen ? { ...rest, sort: chosen } : rest),
          resetScroll: false,
        });
      }}
    />
  );
}

function NothingFound({ q, role }: { q: string; role: string }) {
  const everywhere = q && role ? { q } : {};
  return (
    <BlankSlate
      title={q ? `No soul answers to “${q}”` : "Nobody here yet"}
      ways={
        <>
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/" search={everywhere} {...props} />}
          >
            {q && role ? "Search everywhere" : "See all souls"}
          </Button>
          <Button renderRoot={(props) => <Link to="/publish" {...props} />}>Publish one</Button>
        </>
      }
    >
      Try fewer or other words, or write the soul you were looking for.
    </BlankSlate>
  );
}
