import { SmileIcon } from "../../../icons.tsx";
import type { ShownMessage } from "../use-older-messages.ts";
import type { Reader } from "./reader.ts";
import type { MessageActions } from "./use-message-actions.ts";

interface ReactionsProps {
  line: ShownMessage;
  reader: Reader;
  actions: MessageActions;
  onAdd: () => void;
}

/** The reactions to a message. A click adds the reader's own or takes it back. */
export function Reactions({ line, reader, actions, onAdd }: ReactionsProps) {
  const { id, reactions = [] } = line;
  if (reactions.length === 0) return null;
  return (
    <div className="row reactions">
      {reactions.map(({ emoji, count, names }) => {
        const isOwn = reader.name !== undefined && names.includes(reader.name);
        const others = count - names.length;
        const title = [...names, others > 0 && `${others} more`].filter(Boolean).join(", ");
        const text = `${emoji} ${count}`;
        return reader.mayTalk ? (
          <button
            key={emoji}
            type="button"
            className="chip reaction"
            title={title}
            aria-label={`${text}: ${title}`}
            aria-pressed={isOwn}
            onClick={() => void actions.react(id, emoji, !isOwn)}
          >
            {text}
          </button>
        ) : (
          <span key={emoji} className="chip reaction" title={title}>
            {text}
          </span>
        );
      })}
      {reader.mayTalk && (
        <button type="button" className="chip reaction" aria-label="Add a reaction" onClick={onAdd}>
          <SmileIcon size={16} />
        </button>
      )}
    </div>
  );
}
