import type { PresentParticipant } from "@soul-hub/api";
import type { RoomState } from "@soul-hub/client";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { useBlockedNames } from "../../blocks/use-blocked-names.ts";
import { toastFailure } from "../../feedback/toasts.tsx";
import { BanIcon, LockIcon, PeopleIcon, UserIcon } from "../../icons.tsx";
import type { Entries } from "../../ui/entries.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { More } from "../../ui/more.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { SoulsSection } from "../souls/souls-section.tsx";
import { usePin } from "../versions/use-pin.ts";
import { PanelSection } from "./panel-section.tsx";

const RoomMemory = lazyPart(() => import("../memory/room-memory.tsx"), "RoomMemory");
const VersionChoice = lazyPart(() => import("../versions/version-choice.tsx"), "VersionChoice");
const RoomRights = lazyPart(() => import("./room-rights.tsx"), "RoomRights");
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
            <Person key={at} person={person} you={room.you} />
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
  you: RoomState["you"];
}

function Person({ person: { name, kind }, you }: PersonProps) {
  const { isGuest, mayChange, panel } = useRoomContext();
  const isSelf = name === you?.name;
  const isBlocked = useBlockedNames().has(name);
  const block = () =>
    import("../../blocks/block-button.tsx").then(({ askToBlock }) => askToBlock(name, isBlocked));
  const entries = (): Entries => [
    kind === "member" && {
      name: "Profile",
      icon: UserIcon,
      link: { to: "/u/$username", params: { username: name } },
    },
    mayChange && { name: "Rights in this room", icon: LockIcon, run: () => panel.show("rights") },
    kind === "member" &&
      !isGuest && {
        name: isBlocked ? "Unblock" : "Block",
        icon: BanIcon,
        run: () => void block().catch(toastFailure),
      },
  ];
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
      {!isSelf && (kind === "member" || mayChange) && (
        <More label={`More about ${name}`} entries={entries} size={34} />
      )}
    </li>
  );
}
