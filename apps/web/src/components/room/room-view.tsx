import "./room.css";
import "./static-room.css";
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { failureFor } from "../../failures.ts";
import type { RoomSoul } from "../../queries.ts";
import { useBlockedNames } from "../blocks/use-blocked-names.ts";
import { DownIcon } from "../icons.tsx";
import { StaffNote } from "../moderation/staff-note.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Composer } from "./composer/composer.tsx";
import { loadMessageMenu } from "./messages/actions/load-message-menu.ts";
import { Announcer } from "./messages/announcer.tsx";
import { MessageList } from "./messages/message-list.tsx";
import { ReconnectingBanner } from "./reconnecting-banner.tsx";
import { RoomBar } from "./room-bar.tsx";
import { RoomContext, useRoomContext } from "./room-context.ts";
import { RoomSide } from "./side/room-side.tsx";
import { HAS_ASIDE } from "./side/use-panel.ts";
import { useRoomPage } from "./use-room-page.ts";
import { VersionBanner } from "./versions/version-banner.tsx";

const PeopleDrawer = lazyPart(() => import("./side/people-drawer.tsx"), "PeopleDrawer");
const ClosedRoom = lazyPart(() => import("./closed-room.tsx"), "ClosedRoom");
const MessageMenu = lazyPart(loadMessageMenu, "MessageMenu");
const ElsewhereNote = lazyPart(() => import("./messages/path/elsewhere-note.tsx"), "ElsewhereNote");
const SilenceNote = lazyPart(() => import("./silence/silence-note.tsx"), "SilenceNote");
const SeenMarker = lazyPart(() => import("./seen-marker.tsx"), "SeenMarker");
const OpenDialog = lazyPart(() => import("./open-dialog.tsx"), "OpenDialog");

export function RoomView({ soul, sessionToken }: { soul: RoomSoul; sessionToken: string }) {
  const page = useRoomPage(soul, sessionToken);
  const { room, scroll, opening, imageDrop, panel, dialog, menu } = page;
  const hasAside = useAside();
  if (room.connection === "closed" && room.error) {
    const { code, message, until } = room.error;
    return <ClosedRoom failure={failureFor(code, { error: code, until }, message)} soul={soul} />;
  }
  return (
    <RoomContext value={page}>
      <div className="room" data-opening={opening.isOpening}>
        <div className="room__main" data-drop={imageDrop.isOver} {...imageDrop.handlers}>
          <div>
            <RoomBar />
            <VersionBanner />
            <StaffNote />
          </div>
          <section
            ref={scroll.scroller}
            className="room__scroll"
            aria-label="Conversation"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard.
            tabIndex={0}
          >
            <MessageList />
          </section>
          <RoomFoot />
          {menu && <MessageMenu key={menu.id} {...menu} />}
        </div>
        <aside className="room__aside" aria-label="About this room">
          {hasAside && <RoomSide />}
        </aside>
        {panel.isDrawerOpen && <PeopleDrawer />}
        {dialog && <OpenDialog dialog={dialog} />}
        {page.reader.isMember && <SeenMarker />}
        <Announcer />
      </div>
    </RoomContext>
  );
}

/** A phone does not render the panel. Once rendered, the panel keeps an open editor. */
function useAside(): boolean {
  const isWide = useMediaQuery(HAS_ASIDE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [wasWide, setWasWide] = useState(isWide);
  if (isWide && !wasWide) setWasWide(true);
  return wasWide;
}

function RoomFoot() {
  const { room, silence, path, opening } = useRoomContext();
  const isAway = room.connection === "reconnecting" || room.connection === "connecting";
  return (
    <div className="room__foot">
      <NewestButton />
      {opening.isLooking && (
        <p className="small room__jump" role="status">
          Looking for the message…
        </p>
      )}
      <TypingIndicator names={room.typing} />
      {isAway && <ReconnectingBanner />}
      {path.isElsewhere && <ElsewhereNote />}
      {silence ? <SilenceNote silence={silence} /> : <Composer />}
    </div>
  );
}

/** Is shown away from the end, and at the end as long as the keyboard's focus is on it. */
function NewestButton() {
  const { scroll, opening, unread } = useRoomContext();
  const [isFocused, setIsFocused] = useState(false);
  if (opening.isOpening || (scroll.isAtEnd && !isFocused)) return null;
  return (
    <Button
      className="room__newest"
      size="compact-md"
      radius="xl"
      variant={unread.count > 0 ? "filled" : "default"}
      leftSection={<DownIcon size={16} />}
      onClick={() => scroll.toEnd("smooth")}
      onFocus={({ currentTarget }) => setIsFocused(currentTarget.matches(":focus-visible"))}
      onKeyDown={() => setIsFocused(true)}
      // A window that loses its focus keeps its active element.
      onBlur={({ currentTarget }) => setIsFocused(document.activeElement === currentTarget)}
    >
      {unread.count > 0 ? `${unread.count} new` : "Newest"}
    </Button>
  );
}

function TypingIndicator({ names }: { names: readonly string[] }) {
  const blocked = useBlockedNames();
  return (
    <p className="one-line small room__typing" role="status">
      {sentence(names.filter((name) => !blocked.has(name)))}
    </p>
  );
}

function sentence([first, second, ...more]: readonly string[]): string {
  if (!first) return "";
  if (!second) return `${first} is typing…`;
  return more.length === 0 ? `${first} and ${second} are typing…` : "Several people are typing…";
}
