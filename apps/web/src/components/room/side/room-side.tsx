import type { PresentParticipant } from "@soul-hub/api";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { PeopleIcon } from "../../icons.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { SoulsSection } from "../souls/souls-section.tsx";
import { usePin } from "../versions/use-pin.ts";
import { PanelSection } from "./panel-section.tsx";

const BlockButton = lazyPart(() => import("../../blocks/block-button.tsx"), "BlockButton");
const RoomMemory = lazyPart(() => import("../memory/room-memory.tsx"), "RoomMemory");
const VersionChoice = lazyPart(() => import("../versions/version-choice.tsx"), "VersionChoice");
const RoomRights = lazyPart(() => import("../people/room-rights.tsx"), "RoomRights");
const QuotaMeter = lazyPart(() => import("./quota-meter.tsx"), "QuotaMeter");

/** The panel: the people and souls of the room, and its settings below closed headings. */
export function RoomSide() {
  const { room, left, mayChange, isPrivate, isWithdrawn, setDialog } = useRoomContext();
  const { host } = usePin();
  return (
    <div className="stack stack--wide room-side">
      <section className="stack stack--close stack--form">
        <h2>
          Here now <span className="small">{room.online_count}</span>
        </h2>
        <ul className="stack stack--close people" aria-label="People">
          {room.participants.map((person, at) => (
            <Person key={at} person={person} isSelf={person.name === room.you?.name} />
          ))}
        </ul>
        {!isWithdrawn && !isPrivate && (
          <SmallButton leftSection={<PeopleIcon size={16} />} onClick={() => setDialog("invite")}>
            Invite people
          </SmallButton>
        )}
      </section>
      <SoulsSection />
      <div>
        {mayChange && (
          <PanelSection part="memory" title="What the soul remembers">
            <RoomMemory />
          </PanelSection>
        )}
        {host && (host.version !== null || mayChange) && (
          <PanelSection
            part="version"
            title="Version of the soul"
            fact={host.version === null ? `newest, ${host.latest}` : `${host.version}`}
          >
            <VersionChoice />
          </PanelSection>
        )}
        {!isWithdrawn && (
          <PanelSection
            part="rights"
            title="Who may enter"
            fact={isPrivate ? "invited people" : "everyone with the link"}
          >
            <RoomRights />
          </PanelSection>
        )}
        {left && (
          <PanelSection part="quota" title="Messages today" fact={`${left.daily_remaining} left`}>
            <QuotaMeter />
          </PanelSection>
        )}
      </div>
    </div>
  );
}

interface PersonProps {
  person: PresentParticipant;
  isSelf: boolean;
}

function Person({ person: { name, kind }, isSelf }: PersonProps) {
  return (
    <li className="item people__one">
      <PersonAvatar name={name} kind={kind} size={34} />
      <span className="item__words">
        <bdi>{name}</bdi>
        <small>
          {kind === "guest" ? "guest" : "account"}
          {isSelf && ", you"}
        </small>
      </span>
      {kind === "member" && !isSelf && <BlockButton username={name} />}
    </li>
  );
}
