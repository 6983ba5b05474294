import "./room-column.css";
import { ActionIcon, Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me } from "../../queries.ts";
import { readItem, writeItem } from "../../stored-item.ts";
import { BackIcon, TalkIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useNewRooms } from "../ui/open-room.ts";
import { NewCount } from "./new-count.tsx";

const OpenRoomList = lazyPart(() => import("./open-room-list.tsx"), "OpenRoomList");

/**
 * Narrower windows have no column, because the conversation would get too narrow. The list is the
 * page /my-chats then.
 */
const WIDE = "(min-width: 84em)";
const STORAGE_KEY = "soulhub-room-list";

/** The member's rooms beside the open one. Guests have no list. */
export function RoomColumn() {
  const { data: user, isPending } = useQuery(me);
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const [stored, setStored] = useState(() => readItem(STORAGE_KEY));
  const isOpen = stored !== "closed";
  // A member's column has its width before the hub answers, so that the room does not move.
  const isLikely = isPending && stored !== undefined;
  if (!isWide || !(user || isLikely)) return null;
  const toggle = () => {
    const next = isOpen ? "closed" : "open";
    setStored(next);
    writeItem(STORAGE_KEY, next);
  };
  const label = isOpen ? "Hide your rooms" : "Show your rooms";
  return (
    <nav className="stack stack--close room-column" data-open={isOpen} aria-label="Your rooms">
      <div className="row row--apart room-column__head">
        {isOpen && <h2>Your rooms</h2>}
        <ActionIcon
          size={36}
          radius="xl"
          aria-label={label}
          aria-expanded={isOpen}
          title={label}
          onClick={toggle}
        >
          {isOpen ? <BackIcon size={18} /> : <TalkIcon />}
        </ActionIcon>
      </div>
      {!isOpen && <RoomsWithNews />}
      {isOpen && user && (
        <OpenRoomList
          onShown={() => void writeItem(STORAGE_KEY, "open")}
          fallback={<Skeleton height={220} radius="lg" />}
        />
      )}
    </nav>
  );
}

function RoomsWithNews() {
  const count = useNewRooms();
  return <NewCount count={count} what={count === 1 ? "room with news" : "rooms with news"} />;
}
