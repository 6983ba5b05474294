import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { SharedConversation } from "../components/shared-conversation/shared-conversation.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { sharedConversation } from "../queries.ts";

export const route = createLazyRoute("/share/$share")({ component: SharePage });

function SharePage() {
  const { share } = route.useParams();
  const query = useQuery(sharedConversation(share));
  const { data, error } = query;
  useDocumentTitle(data ? `${data.title} · Soul Hub` : "Soul Hub");
  // A malformed id is that of no share. A share that was revoked meanwhile is shown no longer.
  const code = error && failureOf(error).code;
  if (code === "invalid_input" || code === "share_not_found") {
    return <FailureView failure={failureFor("share_not_found")} />;
  }
  if (query.isLoadingError) return <QueryFailure query={query} />;
  if (!data) return <PagePending />;
  return <SharedConversation shareId={share} conversation={data} />;
}
