import { Loader } from "@mantine/core";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { Log } from "./log.tsx";
import { MentionableNames } from "./mentions/mentions.tsx";
import { MessageLine } from "./message-line.tsx";
import { PendingReply } from "./pending-reply.tsx";
import { RoomGreeting } from "./room-greeting.tsx";
import { NotSaved } from "./unsent/broken-line.tsx";
import { UnsentLines } from "./unsent/unsent-lines.tsx";
import { isFurther } from "./unsent/use-broken-replies.ts";
import { useLineMenu } from "./use-line-menu.ts";

export function MessageList() {
  const page = useRoomContext();
  const { room, soul, selfName, path, opening, unread, outbox, broken, unsent, scroll } = page;
  const { failed } = room;
  // A failure is not shown twice: the outbox shows those of the reader's own messages until the
  // reader takes them away, and a broken reply has its own line.
  const isShownElsewhere =
    failed !== undefined &&
    (outbox.isOwnReply(failed) || broken.some(({ reply_id }) => reply_id === failed.reply_id));
  // A failed regeneration is shown below the former reply.
  const isNewQuestion = failed && !failed.regenerates && !isFurther(failed) && !path.isElsewhere;
  const handlers = useLineMenu(page.openMenu);
  return (
    <div ref={scroll.content} className="room__lines" {...handlers}>
      <MentionableNames>
        <OlderMessages />
        <UnsentLines place={0} />
        {opening.isReady && (
          <Log
            path={path.shown}
            tree={path.tree}
            hasAll={path.hasAll}
            replaced={path.replaced}
            lastQuestion={path.lastQuestion}
            soulId={soul.id}
            souls={room.room?.souls}
            copied={room.room?.copied}
            reader={page.reader}
            actions={page.actions}
            onLook={page.look}
            refusal={page.refusal}
            unreadAfter={unread.unreadAfter}
            unsentPlaces={page.unsentPlaces}
            broken={broken}
            images={page.images}
            toolRequest={page.toolRequest}
            onMenu={page.openMenu}
          />
        )}
        {path.pending.map(
          ({ reply, replaced }) =>
            replaced.length === 0 &&
            !unsent.some((one) => "pending" in one && one.pending === reply) && (
              <PendingReply key={reply.reply_id} reply={reply} />
            ),
        )}
        {failed && isNewQuestion && !isShownElsewhere && (
          <div className="room__exchange">
            <MessageLine
              by="user"
              name={failed.sender_name}
              text={failed.content}
              soulId={soul.id}
              isOwn={failed.sender_name === selfName}
              isUnsent
            />
            <NotSaved code={failed.error} />
          </div>
        )}
        {page.isEmpty && <RoomGreeting />}
        <UnsentLines place={undefined} />
      </MentionableNames>
    </div>
  );
}

function OlderMessages() {
  const { older, path } = useRoomContext();
  const { failure, load } = older;
  if (failure) {
    return (
      <FailureNote failure={failure}>
        <SmallButton onClick={() => void load()}>Load earlier messages</SmallButton>
      </FailureNote>
    );
  }
  if (!path.hasMore) return null;
  return (
    <p className="row row--center small room__older">
      <Loader size="xs" /> Loading earlier messages
    </p>
  );
}
