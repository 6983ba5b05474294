import "../../components/soul/soul-card.css";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { QueryFailure } from "../../components/feedback/failure-view.tsx";
import { CategoryChips } from "../../components/soul/category-chips.tsx";
import { SoulCardSkeletons } from "../../components/soul/soul-card-skeleton.tsx";
import { BlankSlate } from "../../components/ui/blank-slate.tsx";
import { LinkButton } from "../../components/ui/link-button.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { SearchInput } from "../../components/ui/search-input.tsx";
import { categoryList, type MiniAppEntry, miniAppList } from "../../queries.ts";

export const route = createLazyRoute("/apps")({ component: MiniAppsPage });

function MiniAppsPage() {
  const { category = "", q = "" } = route.useSearch();
  const query = useQuery(miniAppList({ category, q }));
  const all = useQuery(miniAppList());
  const apps = query.data;
  usePageTitle("Mini apps · Soul Hub");
  if (query.isLoadingError) return <QueryFailure query={query} />;
  return (
    <div className="page">
      <h1 className="page__title">Mini apps</h1>
      <p className="page__lead">
        Fill in a short form and choose a soul. The conversation starts with everything it needs to
        know.
      </p>
      <AppSearch q={q} />
      <CategoryChips
        page="/apps"
        chosen={category}
        slugs={all.data && new Set(all.data.map((app) => app.category))}
      />
      <p className="muted apps__count" role="status">
        {apps && (apps.length === 1 ? "1 mini app" : `${apps.length} mini apps`)}
      </p>
      {!apps && <SoulCardSkeletons />}
      {apps?.length === 0 && (
        <BlankSlate
          title="No mini app matches"
          actions={<LinkButton to="/apps">See all mini apps</LinkButton>}
        >
          Try fewer or different words, or another category.
        </BlankSlate>
      )}
      <ul className="soul-grid">
        {apps?.map((app) => (
          <li key={app.slug}>
            <MiniAppCard app={app} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Searches mini apps. The query is part of the URL. */
function AppSearch({ q }: { q: string }) {
  const navigate = useNavigate();
  const search = (value: string) =>
    void navigate({
      to: "/apps",
      search: (before) => ({ ...before, q: value.trim() || undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="apps__search">
      <SearchInput q={q} label="Search mini apps" onSearch={search} />
    </div>
  );
}

function MiniAppCard({
  app: { slug, title, description, badge, category },
}: {
  app: MiniAppEntry;
}) {
  const { data: categories } = useQuery(categoryList);
  const field = categories?.find((one) => one.slug === category);
  return (
    <article className="panel soul-card">
      <header className="item">
        <span className="app-card__icon" aria-hidden="true">
          {field?.icon}
        </span>
        <div className="item__words">
          <h2 className="soul-card__title clamp">
            <Link to="/apps/$slug" params={{ slug }} className="soul-card__link">
              {title}
            </Link>
          </h2>
          <small>{field?.name}</small>
        </div>
        {badge && (
          <span className="state-mark" data-tone="good">
            {badge}
          </span>
        )}
      </header>
      <p className="muted clamp soul-card__about">{description}</p>
    </article>
  );
}
