import "./people.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { invalidate, peopleOf } from "../../../queries.ts";
import { CopyTextButton } from "../../feedback/copy-text-button.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { LinkIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";
import { Invites } from "./invites.tsx";
import { PersonRow } from "./person-row.tsx";
import { TalkChoice } from "./talk-choice.tsx";

/** The settings of a room's owner for its people: the rights to enter and to write. */
export function PeopleAndRights() {
  const { isPrivate } = useRoomContext();
  return (
    <div className="stack stack--wide room-dialog">
      <People />
      <TalkChoice />
      {isPrivate ? <Invites /> : <PublicLink />}
    </div>
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
      <h2>People</h2>
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

function PublicLink() {
  return (
    <section className="stack stack--close">
      <h2>Who may enter</h2>
      <p className="muted">
        This room is public: anyone with its link can enter, apart from banned people.
      </p>
      <div>
        <CopyTextButton text={location.href} label="Copy link" icon={<LinkIcon size={17} />} />
      </div>
    </section>
  );
}
