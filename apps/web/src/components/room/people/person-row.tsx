import { useState } from "react";
import { fromNow } from "../../../clock.ts";
import type { RoomPerson } from "../../../queries.ts";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { askToBlock } from "../../blocks/block-button.tsx";
import { useBlockedNames } from "../../blocks/use-blocked-names.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { BanIcon, FlagIcon, UserIcon } from "../../icons.tsx";
import { closeOnEscape } from "../../ui/close-on-escape.ts";
import type { Entries } from "../../ui/entries.ts";
import { More } from "../../ui/more.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { useRoomContext } from "../room-context.ts";
import { RestrictionForm } from "./restriction-form.tsx";
import { useSetPerson } from "./use-set-person.ts";

const tones: Partial<Record<RoomPerson["state"], string>> = { muted: "warn", banned: "bad" };

/** A person of the room, with the actions of the room's owner in a menu. */
export function PersonRow({ person }: { person: RoomPerson }) {
  const { isPrivate } = useRoomContext();
  const [isRestricting, setRestricting] = useState(false);
  const isBlocked = useBlockedNames().has(person.name);
  const { name, kind, state, until, is_owner, is_member, is_present } = person;
  const target = { person: person.person };
  const set = useSetPerson(target, () => {});
  const isRestricted = state === "muted" || state === "banned";
  const change = changeOf(person);
  const entries = (): Entries => [
    change && { name: change.label, icon: UserIcon, run: () => set.mutate({ state: change.to }) },
    kind === "member" && {
      name: isBlocked ? "Unblock" : "Block",
      icon: FlagIcon,
      run: () => askToBlock(name, isBlocked),
    },
    { name: "Mute or ban", icon: BanIcon, keywords: "Change", run: () => setRestricting(true) },
  ];
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
        {!is_owner && <More label={`Change: ${name}`} entries={entries} size={36} />}
      </div>
      {isRestricting && (
        <div className="note person-change" {...closeOnEscape(() => setRestricting(false))}>
          <RestrictionForm
            name={name}
            target={target}
            present={isRestricted ? state : undefined}
            onDone={() => setRestricting(false)}
            onCancel={() => setRestricting(false)}
          />
          {is_member && !isRestricted && isPrivate && (
            <p>Without the membership, this person can't open the room any more.</p>
          )}
        </div>
      )}
      {set.isError && <FailureNote failure={failureOfAction(set.error)} />}
    </>
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
