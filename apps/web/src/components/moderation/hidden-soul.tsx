import { useQuery } from "@tanstack/react-query";
import { notices } from "../../queries.ts";
import { NoticeCard } from "./notice-card.tsx";

/** Shows the author of a hidden soul why it is hidden, and the way to appeal. */
export function HiddenSoul({ decisionId }: { decisionId: number }) {
  const { data } = useQuery(notices);
  const notice = data?.find(({ decision_id }) => decision_id === decisionId);
  return (
    <section className="soul__hidden" aria-label="Hidden by the moderators">
      <p>
        <strong>The moderators have hidden this soul.</strong> Only you can see it. You can change
        it, but not make it public.
      </p>
      {notice && <NoticeCard notice={notice} />}
    </section>
  );
}
