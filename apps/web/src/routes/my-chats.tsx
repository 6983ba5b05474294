import { createLazyRoute } from "@tanstack/react-router";
import { MemberPage } from "../components/account/member-page.tsx";
import { PlusIcon } from "../components/icons.tsx";
import { MentionBell } from "../components/room-list/mention-bell.tsx";
import { RoomList } from "../components/room-list/room-list.tsx";
import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import type { Me } from "../queries.ts";

export const route = createLazyRoute("/my-chats")({ component: MyChatsPage });

function MyChatsPage() {
  return (
    <MemberPage
      title="My chats"
      lead="Rooms you started, wrote in or were invited to, latest first."
      guestHint="Sign in to see your conversations."
      isColumn
    >
      {(user) => <MyChats user={user} />}
    </MemberPage>
  );
}

function MyChats({ user }: { user: Me }) {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const search = (text: string) =>
    void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false });
  return (
    <div className="panel">
      <RoomList
        q={q}
        onSearch={search}
        actions={
          <>
            <LinkButton to="/" size="xs" leftSection={<PlusIcon size={16} />}>
              New conversation
            </LinkButton>
            <MentionBell username={user.username} />
          </>
        }
        empty={
          <BlankSlate
            title="No conversations yet"
            actions={<LinkButton to="/">Find a soul</LinkButton>}
          >
            Pick a soul and say hello. You can return to the room from here.
          </BlankSlate>
        }
      />
    </div>
  );
}
