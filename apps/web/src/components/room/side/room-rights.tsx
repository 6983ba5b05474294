import "../people/people.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { invalidate, peopleOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { LockIcon } from "../../icons.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { usePrivateChat } from "../composer/use-private-chat.ts";
import { Invites } from "../people/invites.tsx";
import { PersonRow } from "../people/person-row.tsx";
import { TalkChoice } from "../people/talk-choice.tsx";
import { useRoomContext } from "../room-context.ts";
import { rightsOf } from "./link-rights.ts";

/** The rights to enter and to write. The room's owner changes them for all, and for each person. */
export function RoomRights() {
  const { room, mayChange, isPrivate } = useRoomContext();
  const privateChat = usePrivateChat();
  return (
    <>
      {isPrivate ? (
        <p>
          Private: only {mayChange ? "you" : "its owner"} and{" "}
          {mayChange ? "people with an invite" : "invited people"} can open this room.
        </p>
      ) : (
        <p>{rightsOf(room.room?.talk)}</p>
      )}
      {privateChat && (
        <SmallButton leftSection={<LockIcon size={16} />} onClick={privateChat.toggle}>
          {privateChat.isOn ? "Keep it open" : "Make this room private…"}
        </SmallButton>
      )}
      {mayChange && (
        <>
          <TalkChoice />
          <People />
          {isPrivate && <Invites />}
        </>
      )}
    </>
  );
}

function People() {
  const { roomName, room } = useRoomContext();
  const { data: people, error } = useQuery(peopleOf(roomName));
  const present = room.participants.map(({ name }) => name).join("\n");
  // The list changes with the people who are present.
  useEffect(() => void invalidate(peopleOf(roomName).queryKey), [present, roomName]);
  return (
    <section className="stack stack--close">
      <h3>People</h3>
      <FailureNote error={error} />
      {!people && !error && <Skeleton height={90} radius="md" />}
      <ul className="divided">
        {people?.map((person) => (
          <li key={person.person}>
            <PersonRow person={person} />
          </li>
        ))}
      </ul>
    </section>
  );
}
