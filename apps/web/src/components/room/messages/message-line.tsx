import "./message-line.css";
import { Loader } from "@mantine/core";
import { participantKind } from "@soul-hub/client";
import { type KeyboardEvent, memo, type ReactNode, Suspense } from "react";
import { fullTime, isoTime, shortTime } from "../../../clock.ts";
import { PersonAvatar } from "../../account/person-avatar.tsx";
import { ImageIcon, OffRecordIcon } from "../../icons.tsx";
import { isFormMessage } from "../../mini-app/form-message.ts";
import { withoutImageMark } from "../../ui/image-mark.ts";
import { Sigil } from "../../ui/sigil.tsx";
import type { ChosenImage } from "../prepare-image.ts";
import { lineId } from "./line-id.ts";
import { Markdown } from "./load-markdown.ts";
import { Mentions } from "./mentions/mentions.tsx";

interface MessageLineProps {
  /** Id of the stored message, by which a link finds it. */
  id?: number;
  by: "user" | "assistant";
  name: string;
  text: string;
  soulId: number;
  isOwn?: boolean;
  /** True for a message that is marked as not sent, because the room does not store it. */
  isUnsent?: boolean;
  /** True for the reader's own message until it is stored with its reply. */
  isWaiting?: boolean;
  /** True for a message that only people read. */
  isOffRecord?: boolean;
  /** The reader's own image, until the room shows the stored message. */
  image?: ChosenImage | undefined;
  /** State of a reply in progress. `catching-up`: the connection missed a part of the reply. */
  progress?: "writing" | "catching-up";
  isRemoved?: boolean;
  /** True for a message of another that contains `@` and the reader's username. */
  isMention?: boolean;
  /** True for the received part of a reply that never became whole. */
  isBroken?: boolean;
  /** Time at which the message was stored, in UTC. */
  at?: string | undefined;
  /** True for the last message of the log. */
  isLast?: boolean;
  /** Tells that the text was changed, and by whom. */
  edited?: string | undefined;
  /** True if a message of the same person is directly above: the name is not repeated. */
  isContinued?: boolean;
  /** Shown beside the name. */
  tools?: ReactNode;
  /** Shown in place of the text. */
  body?: ReactNode;
  /** Shown below the text. */
  children?: ReactNode;
  onKeyDown?: (event: KeyboardEvent) => void;
}

const AVATAR = 36;

export const MessageLine = memo(function MessageLine(props: MessageLineProps) {
  const { by, name, soulId, isOwn = false, isUnsent = false, isRemoved = false } = props;
  const { isBroken = false, isContinued = false, isOffRecord = false, isMention = false } = props;
  const { id, at, image, isWaiting, edited, isLast, tools, body, children, onKeyDown } = props;
  return (
    <article
      id={id === undefined ? undefined : lineId(id)}
      className="line"
      data-by={by}
      data-own={isOwn}
      data-unsent={isUnsent}
      data-removed={isRemoved}
      data-off-record={isOffRecord}
      data-broken={isBroken}
      data-continued={isContinued}
      data-mention={isMention}
      data-last={isLast}
      onKeyDown={onKeyDown}
    >
      {by === "assistant" ? (
        <Sigil id={soulId} size={AVATAR} />
      ) : (
        <PersonAvatar name={name} kind={participantKind(name)} size={AVATAR} />
      )}
      <div className="line__body">
        <div className="line__head">
          <p className="line__name">
            <bdi>{name}</bdi>
            {isOwn && " (you)"}
          </p>
          {isOffRecord && (
            <span className="line__off-record">
              <OffRecordIcon size={14} /> off the record
            </span>
          )}
          {at !== undefined && <MessageTime at={at} />}
          {isWaiting && <span className="line__time">waiting</span>}
          {edited && <span className="line__time line__edited">{edited}</span>}
          {isMention && <span className="line__mention">mentions you</span>}
          {tools}
        </div>
        {image && <SentImage {...image} />}
        {body || <Text {...props} />}
        {children}
      </div>
    </article>
  );
});

/** The image has its place before it is decoded: message-line.css limits the same lengths. */
function SentImage({ dataUri, name, width, height }: ChosenImage) {
  const fitted = width && height && `min(${width}px, 16rem, ${(14 * width) / height}rem)`;
  const style = fitted ? { width: fitted } : undefined;
  return <img className="line__image" {...{ width, height, style }} src={dataUri} alt={name} />;
}

/** The tooltip is written when a mouse comes: its formatter takes a phone 100 ms to create. */
function MessageTime({ at }: { at: string }) {
  return (
    <time
      className="line__time"
      dateTime={isoTime(at)}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = fullTime(at);
      }}
    >
      {shortTime(at)}
    </time>
  );
}

/** Messages of users and guests are shown as typed, but a mini app's form is Markdown. */
function Said({ text }: { text: string }) {
  const typed = (
    <p className="line__said" dir="auto">
      <Mentions text={text} />
    </p>
  );
  if (!isFormMessage(text)) return typed;
  return (
    <Suspense fallback={typed}>
      <div className="line__said line__said--form">
        <Markdown text={text} compact />
      </div>
    </Suspense>
  );
}

function Text({ by, text, image, isRemoved, progress }: MessageLineProps) {
  if (isRemoved) return <p className="line__removed">{text}</p>;
  if (by === "user") {
    const textBeside = withoutImageMark(text);
    const words = textBeside ?? text;
    return (
      <>
        {words && <Said text={words} />}
        {textBeside !== undefined && !image && (
          <p className="state-mark line__picture">
            <ImageIcon size={15} /> a picture (only the soul saw it)
          </p>
        )}
      </>
    );
  }
  const plain = (
    <p className="line__plain" dir="auto">
      {text}
    </p>
  );
  return (
    <div className="line__reply">
      {text && (
        <Suspense fallback={plain}>
          <Markdown text={text} compact isGrowing={progress === "writing"} />
        </Suspense>
      )}
      {progress && <Progress kind={progress} />}
    </div>
  );
}

function Progress({ kind }: { kind: "writing" | "catching-up" }) {
  if (kind === "catching-up") {
    return (
      <p className="small line__note">
        Part of this reply was missed. The whole reply appears shortly.
      </p>
    );
  }
  return <Loader type="dots" size="sm" role="img" aria-label="is writing" />;
}
