import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { FailureView } from "../components/feedback/failure-view.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { RoomView } from "../components/room/room-view.tsx";
import { RoomColumn } from "../components/room-list/room-column.tsx";
import { lazyPart } from "../components/ui/lazy-part.tsx";
import { failureFor } from "../failures.ts";
import { soulById } from "../queries.ts";

export const route = createLazyRoute("/chat/$id/$session")({ component: RoomPage });

const KeptRoom = lazyPart(() => import("../components/room/kept-room.tsx"), "KeptRoom");

/** The format of a session token (decisions §2). */
const TOKEN = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The column of rooms stays while the open room changes. */
function RoomPage() {
  return (
    <div className="room-frame">
      <RoomColumn />
      <div>
        <OpenRoom />
      </div>
    </div>
  );
}

function OpenRoom() {
  const { id, session } = route.useParams();
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  if (!TOKEN.test(session)) return <FailureView failure={failureFor("not_found")} />;
  const key = `${id}/${session}`;
  if (soul.isLoadingError) {
    const name = { soul_id: id, session_token: session };
    return <KeptRoom key={key} name={name} failed={soul} fallback={<PagePending />} />;
  }
  if (!soul.data) return <PagePending />;
  // The React key resets all state of the room view when the address changes to another room.
  return <RoomView key={key} soul={soul.data} sessionToken={session} />;
}
