import type { PresentParticipant } from "@soul-hub/api";
import type { RoomState } from "@soul-hub/client";
import { CopyTextButton } from "../copy-text-button.tsx";
import { LinkIcon } from "../icons.tsx";
import { PersonAvatar } from "../person-avatar.tsx";
import { QuotaMeter } from "./quota-meter.tsx";
import { RoomMemory } from "./room-memory.tsx";

interface RoomSideProps {
  room: RoomState;
  soulId: number;
  sessionToken: string;
  isGuest: boolean;
  isPrivate: boolean;
}

/** Who is here, what is left, and how to bring somebody. */
export function RoomSide({ room, soulId, sessionToken, isGuest, isPrivate }: RoomSideProps) {
  return (
    <div className="room-side">
      <section>
        <h2>
          Here now <span className="room-side__count">{room.online_count}</span>
        </h2>
        <ul className="people">
          {room.participants.map((person, at) => (
            <Person key={at} person={person} isSelf={person.name === room.you?.name} />
          ))}
        </ul>
      </section>
      <section>
        <h2>Bring somebody</h2>
        {isPrivate ? (
          <p>This room is private: only you can be here, also with the link.</p>
        ) : (
          <>
            <p>Whoever has this room's link can read along and talk, without an account.</p>
            <CopyTextButton text={location.href} label="Copy link" icon={<LinkIcon size={17} />} />
          </>
        )}
      </section>
      {room.you?.is_owner && !isGuest && (
        <RoomMemory
          soulId={soulId}
          sessionToken={sessionToken}
          head={room.messages.at(-1)?.id ?? 0}
        />
      )}
      <QuotaMeter isGuest={isGuest} />
    </div>
  );
}

function Person({
  person: { name, kind },
  isSelf,
}: {
  person: PresentParticipant;
  isSelf: boolean;
}) {
  return (
    <li className="people__one">
      <PersonAvatar name={name} kind={kind} size={34} />
      <span className="people__name">
        {name}
        <small>
          {kind === "guest" ? "guest" : "member"}
          {isSelf && ", you"}
        </small>
      </span>
    </li>
  );
}
