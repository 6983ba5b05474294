import { useRef, useState } from "react";
import { fromNow } from "../../../clock.ts";
import type { RoomPerson } from "../../../queries.ts";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { BlockButton } from "../../blocks/block-button.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { closeOnEscape } from "../../ui/close-on-escape.ts";
import { SmallButton } from "../../ui/small-button.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { useRoomContext } from "../room-context.ts";
import { RestrictionForm } from "./restriction-form.tsx";
import { useSetPerson } from "./use-set-person.ts";

const tones: Partial<Record<RoomPerson["state"], string>> = { muted: "warn", banned: "bad" };

/** A person of the room. The room's owner can open the actions below it. */
export function PersonRow({ person }: { person: RoomPerson }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { name, kind, state, until, is_owner, is_present } = person;
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <div className="item person-row">
        <PersonAvatar name={name} kind={kind} size={34} />
        <span className="item__words">
          <bdi>{name}</bdi>
          <small>
            {is_owner ? "owner, you" : kind === "guest" ? "guest" : "account"}
            {is_present && " · here now"}
          </small>
        </span>
        {state !== "none" && (
          <span className="state-mark" data-tone={tones[state] ?? "good"}>
            {state}
            {until && ` until ${fromNow(until)}`.replace("until in", "for")}
          </span>
        )}
        {!is_owner && (
          <SmallButton
            ref={button}
            size="compact-md"
            aria-expanded={isOpen}
            aria-label={`Change: ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            Change
          </SmallButton>
        )}
      </div>
      {isOpen && <PersonChange person={person} onDone={close} />}
    </>
  );
}

function PersonChange({ person, onDone }: { person: RoomPerson; onDone: () => void }) {
  const { isPrivate } = useRoomContext();
  const { name, kind, state, is_member } = person;
  const target = { person: person.person };
  const set = useSetPerson(target, onDone);
  const isRestricted = state === "muted" || state === "banned";
  const change = changeOf(person);
  return (
    <div className="note person-change" {...closeOnEscape(onDone)}>
      <RestrictionForm
        name={name}
        target={target}
        present={isRestricted ? state : undefined}
        onDone={onDone}
      />
      <div className="row">
        {change && (
          <SmallButton size="compact-md" onClick={() => set.mutate({ state: change.to })}>
            {change.label}
          </SmallButton>
        )}
        {kind === "member" && <BlockButton username={name} />}
      </div>
      {is_member && !isRestricted && isPrivate && (
        <p>Without the membership, this person can't open the room any more.</p>
      )}
      {set.isError && <FailureNote failure={failureOfAction(set.error)} />}
    </div>
  );
}

/** The change that a person's present state allows besides a restriction. */
function changeOf({ state, kind, is_member }: RoomPerson) {
  if (state === "muted" || state === "banned") {
    const label = state === "muted" ? "Let talk again" : "Lift the ban";
    // `member` ends the restriction of a member, `none` would end the membership, too.
    return { to: is_member ? "member" : "none", label } as const;
  }
  if (is_member) return { to: "none", label: "End membership" } as const;
  return kind === "member" ? ({ to: "member", label: "Make member" } as const) : undefined;
}
