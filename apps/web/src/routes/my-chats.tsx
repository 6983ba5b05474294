import "./my-chats.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { fromNow } from "../clock.ts";
import { MemberPage } from "../components/account/member-page.tsx";
import { BlankSlate } from "../components/feedback/blank-slate.tsx";
import { QueryFailure } from "../components/feedback/failure-view.tsx";
import { LockIcon } from "../components/icons.tsx";
import { LinkButton } from "../components/layout/link-button.tsx";
import { Sigil } from "../components/soul/sigil.tsx";
import { type ChatSession, myChats } from "../queries.ts";

export const route = createLazyRoute("/my-chats")({ component: MyChatsPage });

function MyChatsPage() {
  return (
    <MemberPage
      title="My chats"
      lead="Rooms you started or wrote in, most recent first."
      guestHint="Sign in to see your conversations."
      isColumn
    >
      {() => <MyChats />}
    </MemberPage>
  );
}

function MyChats() {
  // The list of rooms is refetched on every visit, because a cached list lacks the latest messages.
  const query = useQuery({ ...myChats, staleTime: 0 });
  if (query.isLoadingError) return <QueryFailure query={query} />;
  if (!query.data) return <Skeleton height={220} radius="lg" />;
  const { sessions, unchecked_count } = query.data;
  if (sessions.length === 0 && unchecked_count === 0) {
    return (
      <BlankSlate
        title="No conversations yet"
        actions={<LinkButton to="/">Find a soul</LinkButton>}
      >
        Pick a soul and say hello. You can return to the room from here.
      </BlankSlate>
    );
  }
  return (
    <>
      <ul className="chats">
        {sessions.map((chat) => (
          <li key={`${chat.soul_id}/${chat.session_token}`}>
            <Chat chat={chat} />
          </li>
        ))}
      </ul>
      {unchecked_count > 0 && (
        <p role="status">
          {unchecked_count === 1 ? "One room is" : `${unchecked_count} rooms are`} not shown. Either
          your NFT ownership could not be checked, or the address of the room could not be
          decrypted.
        </p>
      )}
    </>
  );
}

function Chat({ chat }: { chat: ChatSession }) {
  const { soul_id, soul_title, session_token, summary, is_private, is_owner, last_updated } = chat;
  return (
    <Link
      to="/chat/$id/$session"
      params={{ id: soul_id, session: session_token }}
      className="panel chats__one"
    >
      <Sigil id={soul_id} size={48} />
      <span className="chats__words">
        <strong dir="auto">{soul_title}</strong>
        <span className="chats__facts">
          {fromNow(last_updated)}
          {is_private && (
            <>
              {" "}
              · <LockIcon size={14} /> private
            </>
          )}
          {!is_owner && " · started by someone else"}
        </span>
        {summary && (
          <span className="chats__summary clamp" dir="auto">
            {summary}
          </span>
        )}
      </span>
    </Link>
  );
}
