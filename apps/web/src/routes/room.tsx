import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { FailureView } from "../components/failure-view.tsx";
import { PagePending } from "../components/page-pending.tsx";
import { RoomView } from "../components/room/room-view.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { soulById } from "../queries.ts";

export const route = createLazyRoute("/chat/$id/$session")({ component: RoomPage });

/** What the hub takes as a session_token (decisions §2). */
const TOKEN = /^[A-Za-z0-9_.:-]{1,128}$/;

function RoomPage() {
  const { id, session } = route.useParams();
  const { data: soul, error, refetch } = useQuery({ ...soulById(id), enabled: id > 0 });
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  if (!TOKEN.test(session)) return <FailureView failure={failureFor("not_found")} />;
  if (error && !soul) {
    return <FailureView failure={failureOf(error)} onRetry={() => void refetch()} />;
  }
  if (!soul) return <PagePending />;
  // Another room is another conversation: nothing of this one goes along.
  return <RoomView key={`${id}/${session}`} soul={soul} sessionToken={session} />;
}
