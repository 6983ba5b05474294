import "./room-row.css";
import { Link } from "@tanstack/react-router";
import { fromNow } from "../../clock.ts";
import type { ChatSession } from "../../queries.ts";
import { useBlockedNames } from "../blocks/use-blocked-names.ts";
import { LockIcon } from "../icons.tsx";
import { linkTo } from "../ui/open-room.ts";
import { Sigil } from "../ui/sigil.tsx";
import { NewCount } from "./new-count.tsx";
import { plainLine } from "./plain-line.ts";

interface RoomRowProps {
  room: ChatSession;
  /** Whether the page shows this room. Its new messages are counted there. */
  isOpen: boolean;
  username: string;
}

/** A room in a list: its title, its soul, its last message and its unread count. */
export function RoomRow({ room, isOpen, username }: RoomRowProps) {
  const { soul_id, soul_title, title, last_message, is_private, others_online } = room;
  // The room folds the message in the same way (0064).
  const isFolded = useBlockedNames().has(last_message?.sender_name ?? "");
  const { unread, mentions } = isOpen ? { unread: 0, mentions: 0 } : room;
  return (
    <Link
      {...linkTo(room)}
      activeOptions={{ includeSearch: false }}
      className="item item--choice room-row"
      data-row
      data-new={unread > 0}
    >
      <Sigil id={soul_id} size={40} />
      <span className="room-row__words">
        <span>
          <bdi className="one-line room-row__title">{title || soul_title}</bdi>
          <span className="small">{fromNow(room.last_updated)}</span>
        </span>
        <span className="small">
          {is_private && (
            <span role="img" aria-label="Private" title="Private">
              <LockIcon size={14} />
            </span>
          )}
          <bdi className="one-line">{soul_title}</bdi>
          {others_online.length > 0 && (
            <span className="room-row__here">
              <bdi className="one-line">{namesOf(others_online)}</bdi> here
            </span>
          )}
        </span>
        <span>
          {last_message && (
            <span className="one-line muted room-row__last">
              {isFolded ? (
                "Message of a blocked person"
              ) : (
                <>
                  <Sender name={last_message.sender_name} room={room} username={username} />
                  <bdi>{plainLine(last_message.content)}</bdi>
                </>
              )}
            </span>
          )}
          {mentions > 0 && (
            <span className="new-count" data-kind="mention" role="img" aria-label="mentions you">
              @
            </span>
          )}
          <NewCount count={unread} what="new" />
        </span>
      </span>
    </Link>
  );
}

/** The hub gives at most 10 names. */
const MAX_NAMES = 10;

function namesOf([first, ...others]: readonly string[]): string {
  if (others.length === 0) return `${first}`;
  if (others.length === 1) return `${first} and ${others[0]}`;
  return `${first} and ${others.length}${others.length + 1 === MAX_NAMES ? "+" : ""} others`;
}

/** The sender of the last message. The soul is named above it already. */
function Sender({ name, room, username }: { name: string; room: ChatSession; username: string }) {
  if (name === room.soul_title) return null;
  return (
    <>
      <bdi>{name === username ? "You" : name}</bdi>
      {": "}
    </>
  );
}
