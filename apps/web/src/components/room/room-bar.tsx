import { ActionIcon, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { Link } from "@tanstack/react-router";
import { PersonAvatar } from "../account/person-avatar.tsx";
import { CopyTextButton } from "../feedback/copy-text-button.tsx";
import { BackIcon, EditIcon, LinkIcon, LockIcon } from "../icons.tsx";
import { Sigil } from "../ui/sigil.tsx";
import { RoomMenu } from "./menu/room-menu.tsx";
import { useRoomContext } from "./room-context.ts";

const AVATARS = 3;

export function RoomBar() {
  const { soul, room, mayChange, isPrivate, isWithdrawn, drawer, setDialog } = useRoomContext();
  const { participants, online_count } = room;
  return (
    <header className="room-bar">
      <ActionIcon
        size={40}
        radius="xl"
        aria-label={`About ${soul.title}`}
        title="About this soul"
        renderRoot={(props) => <Link to="/soul/$id" params={{ id: soul.id }} {...props} />}
      >
        <BackIcon />
      </ActionIcon>
      <Sigil id={soul.id} size={42} />
      <div className="room-bar__names">
        <h1>
          <bdi>{soul.title}</bdi>
          {isPrivate && (
            <span className="room-bar__lock" role="img" aria-label="Private" title="Private">
              <LockIcon size={15} />
            </span>
          )}
        </h1>
        <div className="row room-bar__line">
          <ConnectionBadge />
          {room.room?.title && (
            <span className="one-line small room-bar__title" dir="auto">
              {room.room.title}
            </span>
          )}
          {mayChange && room.room && (
            <ActionIcon
              className="room-bar__rename"
              size={24}
              aria-label="Rename this room"
              title="Rename this room"
              onClick={() => setDialog("title")}
            >
              <EditIcon size={15} />
            </ActionIcon>
          )}
        </div>
      </div>
      <UnstyledButton className="chip room-bar__people" onClick={drawer.open}>
        <span className="room-bar__faces" aria-hidden="true">
          {participants.slice(0, AVATARS).map(({ name, kind }, at) => (
            <PersonAvatar key={at} name={name} kind={kind} size={30} />
          ))}
        </span>
        <span className="room-bar__count">{online_count}</span>
        <VisuallyHidden>
          {online_count === 1 ? "person" : "people"} here. Room details
        </VisuallyHidden>
      </UnstyledButton>
      {/* The link to a private or withdrawn room works for its own people only. */}
      {!isPrivate && !isWithdrawn && (
        <CopyTextButton
          className="room-bar__share"
          text={location.href}
          label="Copy link"
          icon={<LinkIcon size={17} />}
        />
      )}
      <RoomMenu />
    </header>
  );
}

const labels: Record<RoomState["connection"], string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  closed: "Not connected",
};

function ConnectionBadge() {
  const { connection, via } = useRoomContext().room;
  const isPolling = connection === "live" && via === "poll";
  return (
    <span
      className="row small connection"
      data-state={connection}
      role="status"
      title={
        isPolling
          ? "Your network blocks live connections. This page checks for messages every two seconds."
          : undefined
      }
    >
      <span className="connection__dot" aria-hidden="true" />
      {isPolling ? "Live, with a short delay" : labels[connection]}
    </span>
  );
}
