import "../components/soul-card.css";
import "./mini-apps.css";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { FailureView } from "../components/failure-view.tsx";
import { SoulCardSkeletons } from "../components/soul-card-skeleton.tsx";
import { failureOf } from "../failures.ts";
import { categoryList, type MiniAppEntry, miniAppList } from "../queries.ts";

export const route = createLazyRoute("/apps")({ component: MiniAppsPage });

function MiniAppsPage() {
  const { data: apps, error, refetch } = useQuery(miniAppList);
  useDocumentTitle("Mini apps · Soul Hub");
  if (error && !apps) {
    return <FailureView failure={failureOf(error)} onRetry={() => void refetch()} />;
  }
  return (
    <div className="page">
      <h1 className="page__title">Mini apps</h1>
      <p className="page__lead">
        Fill in a short form, choose who should answer, and the conversation begins with everything
        they need to know.
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
          <h2 className="soul-card__title">
            <Link to="/apps/$slug" params={{ slug }} className="soul-card__link">
              {title}
            </Link>
          </h2>
          <p className="soul-card__by">{field?.name}</p>
        </div>
        {badge && <span className="app-card__badge">{badge}</span>}
      </header>
      <p className="soul-card__about">{description}</p>
    </article>
  );
}
