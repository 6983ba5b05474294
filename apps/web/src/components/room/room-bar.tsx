import { ActionIcon, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { Link } from "@tanstack/react-router";
import { PersonAvatar } from "../account/person-avatar.tsx";
import { BackIcon, LockIcon } from "../icons.tsx";
import { More } from "../ui/more.tsx";
import { Sigil } from "../ui/sigil.tsx";
import { useRoomEntries } from "./menu/use-room-entries.ts";
import { useRoomContext } from "./room-context.ts";

const AVATARS = 3;

export function RoomBar() {
  const { soul, room, isPrivate, panel } = useRoomContext();
  const entries = useRoomEntries();
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
        </div>
      </div>
      <UnstyledButton className="chip room-bar__people" onClick={panel.drawer.open}>
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
      <More label="Room menu" entries={entries} />
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
