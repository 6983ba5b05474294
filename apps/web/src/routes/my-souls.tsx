import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { BlankSlate } from "../components/blank-slate.tsx";
import { FailureView } from "../components/failure-view.tsx";
import { LoadMore } from "../components/load-more.tsx";
import { OwnerWays } from "../components/owner-ways.tsx";
import { PagePending } from "../components/page-pending.tsx";
import { SignInWall } from "../components/sign-in-wall.tsx";
import { SoulCard } from "../components/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul-card-skeleton.tsx";
import { failureOf } from "../failures.ts";
import { me, mySouls } from "../queries.ts";

export const route = createLazyRoute("/my-souls")({ component: MySoulsPage });

function MySoulsPage() {
  const { data: user, isPending } = useQuery(me);
  useDocumentTitle("My souls · Soul Hub");
  if (isPending) return <PagePending />;
  if (!user) {
    return <SignInWall title="Your souls">Sign in to see what you have published.</SignInWall>;
  }
  return (
    <div className="page">
      <h1 className="page__title">My souls</h1>
      <p className="page__lead">Everything you have published, and what only you can see.</p>
      <MySouls />
    </div>
  );
}

function MySouls() {
  const list = useInfiniteQuery(mySouls);
  if (list.isPending) return <SoulCardSkeletons count={3} />;
  if (!list.data) {
    return <FailureView failure={failureOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  const souls = list.data.pages.flatMap(({ data }) => data);
  if (souls.length === 0) {
    return (
      <BlankSlate
        title="Your first soul is waiting"
        ways={
          <Button renderRoot={(props) => <Link to="/publish" {...props} />}>Publish a soul</Button>
        }
      >
        Write who it is and how it speaks. A paragraph is enough to begin with.
      </BlankSlate>
    );
  }
  return (
    <>
      <ul className="soul-grid">
        {souls.map((soul) => (
          <li key={soul.id}>
            <SoulCard
              soul={soul}
              note={soul.is_public === 0 && " · private"}
              ways={<OwnerWays id={soul.id} title={soul.title} />}
            />
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
    </>
  );
}
