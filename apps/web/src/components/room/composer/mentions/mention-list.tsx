import { PersonAvatar } from "../../../account/person-avatar.tsx";
import { Sigil } from "../../../ui/sigil.tsx";
import { type Mentions, optionId } from "./use-mentions.ts";

const ICON = 28;

/** The souls and people whose names complete the mention that is being typed. */
export function MentionList({ mentions }: { mentions: Mentions }) {
  const { choices, active, listId, accept } = mentions;
  return (
    <div id={listId} className="popup mentions" role="listbox" aria-label="Mention">
      {choices.map((choice, at) => {
        const { name, title, soulId } = choice;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys.
          <div
            key={`${soulId ?? "person"}-${name}`}
            id={optionId(listId, at)}
            className="item item--choice"
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            onPointerDown={(event) => event.preventDefault()}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(choice)}
          >
            {soulId === undefined ? (
              <PersonAvatar name={name} kind="member" size={ICON} />
            ) : (
              <Sigil id={soulId} size={ICON} />
            )}
            <span className="item__words">
              <bdi>{title ?? name}</bdi>{" "}
              <small>{soulId === undefined ? "person" : `@${name}`}</small>
            </span>
          </div>
        );
      })}
    </div>
  );
}
