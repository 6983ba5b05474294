import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { dayName } from "../../clock.ts";
import type { SharedConversation as Conversation } from "../../queries.ts";
import { startsDay } from "../room/messages/days.tsx";
import { describeReply, editedBy } from "../room/messages/made-by.ts";
import { MessageLine } from "../room/messages/message-line.tsx";
import { TalkButton } from "../soul/talk-button.tsx";
import { ContinueButton } from "./continue-button.tsx";

interface SharedConversationProps {
  shareId: string;
  conversation: Conversation;
}

/** A conversation that its owner has shared: everyone with the link reads it. */
export function SharedConversation({ shareId, conversation }: SharedConversationProps) {
  const { title, soul_id, soul_title, messages, is_complete } = conversation;
  return (
    <div className="page page--reading divided">
      <header>
        <h1 className="page__title" dir="auto">
          {title}
        </h1>
        <p className="muted">
          A shared conversation with{" "}
          <Link to="/soul/$id" params={{ id: soul_id }}>
            <bdi>{soul_title}</bdi>
          </Link>
          . You read it as it is now; nobody can write here.
        </p>
      </header>
      <section className="stack stack--wide" aria-label="Conversation">
        {!is_complete && <p className="small">Earlier messages are left out.</p>}
        {messages.length === 0 && (
          <p className="small">Its owner has removed all of its messages.</p>
        )}
        {messages.map((line, at) => (
          <Fragment key={line.id}>
            {line.created_at && startsDay(line, messages[at - 1]) && (
              <p className="small">{dayName(line.created_at)}</p>
            )}
            <MessageLine
              by={line.role}
              name={line.sender_name}
              text={line.content}
              soulId={line.made_by?.soul_id ?? soul_id}
              at={line.created_at}
              edited={editedBy(line)}
            >
              {line.made_by && (
                <details className="small line__foot">
                  <summary>How this was made</summary>
                  {describeReply(line.made_by)}
                </details>
              )}
            </MessageLine>
          </Fragment>
        ))}
      </section>
      <div className="row">
        {messages.length > 0 && <ContinueButton shareId={shareId} />}
        <TalkButton
          soulId={soul_id}
          soulTitle={soul_title}
          label="Talk to this soul"
          variant="default"
        />
      </div>
    </div>
  );
}
