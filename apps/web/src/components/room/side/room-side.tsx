import type { PresentParticipant } from "@soul-hub/api";
import type { RoomState } from "@soul-hub/client";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { CopyTextButton } from "../../feedback/copy-text-button.tsx";
import { LinkIcon } from "../../icons.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { RoomMemory } from "../memory/room-memory.tsx";
import { useRoomContext } from "../room-context.ts";
import { SoulsSection } from "../souls/souls-section.tsx";
import { VersionChoice } from "../versions/version-choice.tsx";
import { rightsOf } from "./link-rights.ts";
import { QuotaMeter } from "./quota-meter.tsx";

const BlockButton = lazyPart(() => import("../../blocks/block-button.tsx"), "BlockButton");

export function RoomSide() {
  const { room, mayChange, isPrivate, isWithdrawn } = useRoomContext();
  return (
    <div className="stack stack--wide room-side">
      <section className="stack stack--close stack--form">
        <h2>
          Here now <span className="small">{room.online_count}</span>
        </h2>
        <ul className="stack stack--close people" aria-label="People">
          {room.participants.map((person, at) => (
            <Person key={at} person={person} you={room.you} />
          ))}
        </ul>
      </section>
      {!isWithdrawn && (
        <section className="stack stack--close stack--form">
          <h2>Invite people</h2>
          {isPrivate ? (
            <PrivateNote />
          ) : (
            <>
              <p>{rightsOf(room.room?.talk)}</p>
              <CopyTextButton
                text={location.href}
                label="Copy link"
                icon={<LinkIcon size={17} />}
              />
            </>
          )}
        </section>
      )}
      <SoulsSection />
      <VersionChoice />
      {mayChange && <RoomMemory />}
      <QuotaMeter />
    </div>
  );
}

function PrivateNote() {
  const { mayChange, setDialog } = useRoomContext();
  if (!mayChange) return <p>Private: only its owner and invited people can open this room.</p>;
  return (
    <>
      <p>Private: only you and people with an invite can open this room.</p>
      <SmallButton onClick={() => setDialog("people")}>People and invites</SmallButton>
    </>
  );
}

interface PersonProps {
  person: PresentParticipant;
  you: RoomState["you"];
}

function Person({ person: { name, kind }, you }: PersonProps) {
  const isSelf = name === you?.name;
  return (
    <li className="item people__one">
      <PersonAvatar name={name} kind={kind} size={34} />
      <span className="item__words">
        <bdi>{name}</bdi>
        <small>
          {isSelf && you.is_owner ? "owner" : kind === "guest" ? "guest" : "account"}
          {isSelf && ", you"}
        </small>
      </span>
      {kind === "member" && !isSelf && <BlockButton username={name} />}
    </li>
  );
}
