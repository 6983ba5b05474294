import { useQuery } from "@tanstack/react-query";
import { NoticeCard } from "./notice-card.tsx";
import { noticeOf } from "./own-queries.ts";

/** Shows the author of a hidden soul why it is hidden, and the way to appeal. */
export function HiddenSoul({ decisionId }: { decisionId: number }) {
  const { data: notice } = useQuery(noticeOf(decisionId));
  return (
    <section className="page soul__hidden" aria-label="Hidden by the moderators">
      {notice && (
        <NoticeCard notice={notice}>
          <p>Only you can see it. You can change it, but not make it public.</p>
        </NoticeCard>
      )}
    </section>
  );
}
