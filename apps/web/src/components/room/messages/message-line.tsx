import "./message-line.css";
import { Loader } from "@mantine/core";
import { participantKind } from "@soul-hub/client";
import { lazy, memo, Suspense } from "react";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { Sigil } from "../../soul/sigil.tsx";
import type { ChosenImage } from "../composer/prepare-image.ts";
import { CopyReplyButton } from "./copy-reply-button.tsx";

// The Markdown renderer is the largest module after React. A room without replies does not load it.
const Markdown = lazy(() =>
  import("../../markdown.tsx").then((module) => ({ default: module.Markdown })),
);

interface MessageLineProps {
  by: "user" | "assistant";
  name: string;
  text: string;
  soulId: number;
  isOwn?: boolean;
  /** True for a message that is marked as not sent, because the room does not store it. */
  isUnsent?: boolean;
  /** The reader's own image, until the room shows the stored message. */
  image?: ChosenImage | undefined;
  /** State of a reply in progress. `catching-up`: the connection missed a part of the reply. */
  progress?: "writing" | "catching-up";
}

const AVATAR = 36;

export const MessageLine = memo(function MessageLine(props: MessageLineProps) {
  const { by, name, text, soulId, isOwn = false, isUnsent = false, image, progress } = props;
  return (
    <article className="line" data-by={by} data-own={isOwn} data-unsent={isUnsent}>
      {by === "assistant" ? (
        <Sigil id={soulId} size={AVATAR} />
      ) : (
        <PersonAvatar name={name} kind={participantKind(name)} size={AVATAR} />
      )}
      <div className="line__body">
        <p className="line__name">
          <bdi>{name}</bdi>
          {isOwn && " (you)"}
        </p>
        {image && <img className="line__image" src={image.dataUri} alt={image.name} />}
        {by === "assistant" ? (
          <div className="line__reply">
            {text && (
              <Suspense
                fallback={
                  <p className="line__plain" dir="auto">
                    {text}
                  </p>
                }
              >
                <Markdown text={text} compact />
              </Suspense>
            )}
            {progress ? <Progress kind={progress} /> : <CopyReplyButton text={text} />}
          </div>
        ) : (
          // Messages of users and guests are shown as typed, without Markdown.
          text && (
            <p className="line__said" dir="auto">
              {text}
            </p>
          )
        )}
      </div>
    </article>
  );
});

function Progress({ kind }: { kind: "writing" | "catching-up" }) {
  if (kind === "catching-up") {
    return (
      <p className="line__note">Part of this reply was missed. The whole reply appears shortly.</p>
    );
  }
  return <Loader type="dots" size="sm" role="img" aria-label="is writing" />;
}
