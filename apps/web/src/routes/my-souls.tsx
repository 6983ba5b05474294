import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { MemberPage } from "../components/account/member-page.tsx";
import { QueryFailure } from "../components/feedback/failure-view.tsx";
import { LoadMore } from "../components/feedback/load-more.tsx";
import { PlusIcon } from "../components/icons.tsx";
import { OwnerActions } from "../components/soul/owner-actions.tsx";
import { SoulGrid } from "../components/soul/soul-card.tsx";
import { SoulCardSkeletons } from "../components/soul/soul-card-skeleton.tsx";
import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import { mySouls } from "../queries.ts";

export const route = createLazyRoute("/my-souls")({ component: MySoulsPage });

function MySoulsPage() {
  return (
    <MemberPage
      title="My souls"
      lead="Your published souls and your private ones."
      guestHint="Sign in to see your souls."
    >
      {() => <MySouls />}
    </MemberPage>
  );
}

function MySouls() {
  const list = useInfiniteQuery(mySouls);
  if (list.isPending) return <SoulCardSkeletons count={3} />;
  if (!list.data) return <QueryFailure query={list} />;
  const souls = list.data.pages.flatMap(({ data }) => data);
  if (souls.length === 0) {
    return (
      <BlankSlate
        title="You have no souls yet"
        actions={<LinkButton to="/publish">Publish a soul</LinkButton>}
      >
        Describe a character and how it speaks. A paragraph is enough to start.
      </BlankSlate>
    );
  }
  return (
    <>
      <LinkButton to="/publish" leftSection={<PlusIcon size={18} />} mb="lg">
        New soul
      </LinkButton>
      <SoulGrid
        souls={souls}
        card={({ id, title, is_public }) => ({
          note: is_public === 0 ? " · private" : " · public",
          actions: <OwnerActions id={id} title={title} />,
        })}
      />
      {list.hasNextPage && <LoadMore list={list} />}
    </>
  );
}
