import "./message-line.css";
import { memo } from "react";
import { Markdown } from "../markdown.tsx";
import { PersonAvatar } from "../person-avatar.tsx";
import { Sigil } from "../sigil.tsx";
import { CopyReplyButton } from "./copy-reply-button.tsx";
import type { ChosenImage } from "./prepare-image.ts";

interface MessageLineProps {
  by: "user" | "assistant";
  name: string;
  text: string;
  soulId: number;
  isOwn: boolean;
  /** One's own, while it is on its way: the room keeps none. */
  image?: ChosenImage | undefined;
  /** Of a reply that is being written. */
  progress?: "writing" | "catching-up";
}

const AVATAR = 36;

export const MessageLine = memo(function MessageLine(props: MessageLineProps) {
  const { by, name, text, soulId, isOwn, image, progress } = props;
  const isGuest = name.startsWith("Anonymous #");
  return (
    <article className="line" data-by={by} data-own={isOwn}>
      {by === "assistant" ? (
        <Sigil id={soulId} size={AVATAR} />
      ) : (
        <PersonAvatar name={name} kind={isGuest ? "guest" : "member"} size={AVATAR} />
      )}
      <div className="line__body">
        <p className="line__name">{isOwn ? `${name} (you)` : name}</p>
        {image && <img className="line__image" src={image.dataUri} alt={image.name} />}
        {by === "assistant" ? (
          <div className="line__reply">
            {text && <Markdown text={text} compact />}
            {progress ? (
              <Progress kind={progress} hasText={text !== ""} />
            ) : (
              <CopyReplyButton text={text} />
            )}
          </div>
        ) : (
          // What people write is shown as they wrote it, letter for letter.
          text && <p className="line__said">{text}</p>
        )}
      </div>
    </article>
  );
});

function Progress({ kind, hasText }: { kind: "writing" | "catching-up"; hasText: boolean }) {
  if (kind === "catching-up") {
    return <p className="line__note">A part was missed. The whole reply comes in a moment.</p>;
  }
  return (
    <span className="line__dots" data-after={hasText} role="img" aria-label="is writing">
      <i />
      <i />
      <i />
    </span>
  );
}
