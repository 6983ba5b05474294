import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { useEffect } from "react";
import { MemberPage } from "../components/account/member-page.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { LoadMore } from "../components/feedback/load-more.tsx";
import { NoticeCard } from "../components/moderation/notice-card.tsx";
import { notices } from "../components/moderation/own-queries.ts";
import { OwnReports } from "../components/moderation/own-reports.tsx";
import { hub } from "../hub.ts";
import { invalidate, me } from "../queries.ts";

export const route = createLazyRoute("/notices")({ component: NoticesPage });

function NoticesPage() {
  return (
    <MemberPage
      title="Notices and reports"
      lead="What the staff of this hub decided about you, and what became of your own reports."
      guestHint="Sign in to see your notices and reports."
      isColumn
    >
      {({ moderation }) => (
        <div className="stack stack--wide">
          <section className="stack" aria-labelledby="notices">
            <h2 id="notices">Notices</h2>
            <Notices />
          </section>
          {moderation?.state !== "suspended" && (
            <section className="stack" aria-labelledby="reports">
              <h2 id="reports">Your reports</h2>
              <OwnReports />
            </section>
          )}
        </div>
      )}
    </MemberPage>
  );
}

function Notices() {
  const list = useInfiniteQuery(notices);
  const { data, error } = list;
  const newest = data?.[0]?.decision_id;
  useEffect(() => {
    if (newest === undefined) return;
    const seen = hub.moderation.seeNotices.mutate({ seen_to: newest });
    // A notice that could not be marked stays new.
    seen.then(() => invalidate(me.queryKey)).catch(() => {});
  }, [newest]);
  if (error && !data) return <FailureNote error={error} />;
  if (!data) return <Skeleton height={120} radius="lg" />;
  if (data.length === 0) return <p className="muted">There are none. That is good.</p>;
  return (
    <>
      <ul className="stack">
        {data.map((notice) => (
          <li key={notice.decision_id}>
            <NoticeCard notice={notice} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && <LoadMore list={list} />}
    </>
  );
}
