import { ActionIcon, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { Link } from "@tanstack/react-router";
import type { Soul } from "../../queries.ts";
import { CopyTextButton } from "../copy-text-button.tsx";
import { BackIcon, LinkIcon, LockIcon } from "../icons.tsx";
import { PersonAvatar } from "../person-avatar.tsx";
import { Sigil } from "../sigil.tsx";
import { ConnectionBadge } from "./connection-badge.tsx";

interface RoomBarProps {
  soul: Soul;
  room: RoomState;
  isPrivate: boolean;
  onPeople: () => void;
}

const FACES = 3;

export function RoomBar({ soul, room, isPrivate, onPeople }: RoomBarProps) {
  const { participants, online_count, connection, via } = room;
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
          {soul.title}
          {isPrivate && (
            <span className="room-bar__lock" role="img" aria-label="Private" title="Private">
              <LockIcon size={15} />
            </span>
          )}
        </h1>
        <ConnectionBadge connection={connection} via={via} />
      </div>
      <UnstyledButton className="room-bar__people" onClick={onPeople}>
        <span className="room-bar__faces" aria-hidden="true">
          {participants.slice(0, FACES).map(({ name, kind }, at) => (
            <PersonAvatar key={at} name={name} kind={kind} size={30} />
          ))}
        </span>
        <span className="room-bar__count">{online_count}</span>
        <VisuallyHidden>here. Show who, and more about this room</VisuallyHidden>
      </UnstyledButton>
      <CopyTextButton
        className="room-bar__share"
        text={location.href}
        label="Copy link"
        icon={<LinkIcon size={17} />}
      />
    </header>
  );
}
