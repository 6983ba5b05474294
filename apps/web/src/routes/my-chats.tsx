import "./my-chats.css";
import { Button, Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { fromNow } from "../clock.ts";
import { BlankSlate } from "../components/blank-slate.tsx";
import { FailureView } from "../components/failure-view.tsx";
import { LockIcon } from "../components/icons.tsx";
import { PagePending } from "../components/page-pending.tsx";
import { Sigil } from "../components/sigil.tsx";
import { SignInWall } from "../components/sign-in-wall.tsx";
import { failureOf } from "../failures.ts";
import { type ChatSession, me, myChats } from "../queries.ts";

export const route = createLazyRoute("/my-chats")({ component: MyChatsPage });

function MyChatsPage() {
  const { data: user, isPending } = useQuery(me);
  useDocumentTitle("My chats · Soul Hub");
  if (isPending) return <PagePending />;
  if (!user) {
    return (
      <SignInWall title="Your chats">
        Sign in to find the conversations you were part of.
      </SignInWall>
    );
  }
  return (
    <div className="page page--reading">
      <h1 className="page__title">My chats</h1>
      <p className="page__lead">Every room you began or wrote in, the latest first.</p>
      <MyChats />
    </div>
  );
}

function MyChats() {
  // Anything may have been said since: a list from before would lead past it.
  const { data, error, refetch } = useQuery({ ...myChats, staleTime: 0 });
  if (error && !data) {
    return <FailureView failure={failureOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton height={220} radius="lg" />;
  const { sessions, unchecked_count } = data;
  if (sessions.length === 0 && unchecked_count === 0) {
    return (
      <BlankSlate
        title="No conversation yet"
        ways={<Button renderRoot={(props) => <Link to="/" {...props} />}>Find a soul</Button>}
      >
        Pick a soul and say hello. The room stays here for you to come back to.
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
          {unchecked_count === 1 ? "One room is" : `${unchecked_count} rooms are`} not shown: the
          blockchain did not say whether you still own the token of their soul, or the hub can’t
          open their address any more.
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
        <strong>{soul_title}</strong>
        <span className="chats__facts">
          {fromNow(last_updated)}
          {is_private && (
            <>
              {" "}
              · <LockIcon size={14} /> private
            </>
          )}
          {!is_owner && " · somebody else's room"}
        </span>
        {summary && <span className="chats__summary">{summary}</span>}
      </span>
    </Link>
  );
}
