import "./room-list.css";
import { ActionIcon, Skeleton } from "@mantine/core";
import { useForceUpdate, useInterval } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { type ChatSession, me, myChats } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { CrossIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { isSameRoom, useOpenRoom } from "../ui/open-room.ts";
import { SearchInput } from "../ui/search-input.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { RoomRow } from "./room-row.tsx";

const FoundMessages = lazyPart(() => import("./found-messages.tsx"), "FoundMessages");
const FoundSouls = lazyPart(() => import("./found-souls.tsx"), "FoundSouls");

const MINUTE_MS = 60_000;

interface RoomListProps {
  /** The text that is searched for. */
  q: string;
  onSearch: (q: string) => void;
  /** Shown below the search, before the filter, while nothing is searched for. */
  actions?: ReactNode;
  /** Shown to a member without a room. */
  empty: ReactNode;
}

/** The member's rooms, latest first, with a search of their titles, of souls and of messages. */
export function RoomList({ q, onSearch, actions, empty }: RoomListProps) {
  const { data: user } = useQuery(me);
  const query = useQuery(myChats);
  const open = useOpenRoom();
  // "2 minutes ago" grows older without an answer of the hub.
  useInterval(useForceUpdate(), MINUTE_MS, { autoInvoke: true });
  const text = q.trim();
  const { sessions = [], unchecked_count = 0 } = query.data ?? {};
  const [isUnread, setIsUnread] = useState(false);
  const rooms = text
    ? sessions.filter((room) => hasInTitle(room, text))
    : sessions.filter(({ unread, mentions }) => !isUnread || unread + mentions > 0);
  const hasRooms = sessions.length > 0 || unchecked_count > 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only move the focus between links.
    <div className="stack stack--close" onKeyDown={moveByArrows}>
      <SearchInput q={q} label="Search rooms and souls" onSearch={onSearch} />
      {!text && (
        <div className="row">
          {actions}
          {hasRooms && (
            <button
              type="button"
              className="chip"
              aria-pressed={isUnread}
              onClick={() => setIsUnread(!isUnread)}
            >
              Unread
            </button>
          )}
        </div>
      )}
      {query.isLoadingError && (
        <FailureNote error={query.error}>
          <SmallButton onClick={() => void query.refetch()}>Load the rooms again</SmallButton>
        </FailureNote>
      )}
      {query.isRefetchError && (
        <p className="muted room-list__note">
          The hub does not answer. This list may be out of date.
        </p>
      )}
      {query.isPending && <Skeleton height={220} radius="lg" />}
      {query.data && !hasRooms && !text && empty}
      {hasRooms && isUnread && !text && rooms.length === 0 && (
        <p className="muted room-list__note" role="status">
          You have read everything.
        </p>
      )}
      {rooms.length > 0 && (
        <ul className="stack stack--tight" aria-label={text ? "Rooms found" : "Rooms"}>
          {rooms.map((room) => (
            <li key={`${room.soul_id}/${room.session_token}`} className="room-list__one">
              <RoomRow
                room={room}
                isOpen={isSameRoom(room, open)}
                username={user?.username ?? ""}
              />
              <ActionIcon
                size={36}
                className="room-list__hide"
                aria-label={`${room.is_member ? "Leave" : "Hide"}: ${room.title || room.soul_title}`}
                title={room.is_member ? "Leave" : "Hide"}
                onClick={(event) => void hide(room, event.currentTarget.closest("li"))}
              >
                <CrossIcon size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {text && <FoundSouls text={text} />}
      {text && <FoundMessages text={text} />}
      {!text && unchecked_count > 0 && (
        <p className="muted room-list__note" role="status">
          {unchecked_count === 1
            ? "One room is not shown, since its address could not be decrypted."
            : `${unchecked_count} rooms are not shown, since their addresses could not be decrypted.`}
        </p>
      )}
    </div>
  );
}

/** The words and the question of hiding load with the first click. */
async function hide(room: ChatSession, row: Element | null): Promise<void> {
  const { hideRoom } = await import("./hide-room.tsx");
  await hideRoom(room, row);
}

function hasInTitle({ title, soul_title }: ChatSession, text: string): boolean {
  const wanted = text.toLowerCase();
  return [title, soul_title].some((one) => one.toLowerCase().includes(wanted));
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus between the search field and the rows of a list with the arrow keys. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey, nativeEvent } = event;
  const step = steps[key];
  if (step === undefined || altKey || ctrlKey || metaKey || shiftKey) return;
  if (nativeEvent.isComposing) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, [data-row]")];
  const at = stops.indexOf(event.target as HTMLElement);
  const next = at < 0 ? undefined : stops[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
