import "../components/soul/soul-card.css";
import "./mini-apps.css";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { QueryFailure } from "../components/feedback/failure-view.tsx";
import { SoulCardSkeletons } from "../components/soul/soul-card-skeleton.tsx";
import { categoryList, type MiniAppEntry, miniAppList } from "../queries.ts";

export const route = createLazyRoute("/apps")({ component: MiniAppsPage });

function MiniAppsPage() {
  const query = useQuery(miniAppList);
  const apps = query.data;
  useDocumentTitle("Mini apps · Soul Hub");
  if (query.isLoadingError) return <QueryFailure query={query} />;
  return (
    <div className="page">
      <h1 className="page__title">Mini apps</h1>
      <p className="page__lead">
        Fill in a short form and choose a soul. The conversation starts with everything it needs to
        know.
      </p>
      {apps ? (
        <ul className="soul-grid">
          {apps.map((app) => (
            <li key={app.slug}>
              <MiniAppCard app={app} />
            </li>
          ))}
        </ul>
      ) : (
        <SoulCardSkeletons />
      )}
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
    <article className="soul-card app-card">
      <header className="soul-card__head">
        <span className="app-card__icon" aria-hidden="true">
          {field?.icon}
        </span>
        <div className="soul-card__names">
          <h2 className="soul-card__title clamp">
            <Link to="/apps/$slug" params={{ slug }} className="soul-card__link">
              {title}
            </Link>
          </h2>
          <p className="soul-card__by">{field?.name}</p>
        </div>
        {badge && <span className="app-card__badge">{badge}</span>}
      </header>
      <p className="soul-card__about clamp">{description}</p>
    </article>
  );
}
