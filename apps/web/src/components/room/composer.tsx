import "./composer.css";
import { ActionIcon, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useRef,
  useState,
} from "react";
import { type Quota, quota } from "../../queries.ts";
import { countCharacters } from "../../soul-files.ts";
import { SendIcon, StopIcon } from "../icons.tsx";
import { DeepThinkToggle, ImageButton } from "./composer-tools.tsx";
import { ImagePreview } from "./image-preview.tsx";
import { PlanNote, type PlanNoteTopic } from "./plan-note.tsx";
import { pictureIn, type useImageChoice } from "./use-image-choice.ts";
import type { NewLine } from "./use-outbox.ts";

interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  picture: ReturnType<typeof useImageChoice>;
  onSend: (line: Pick<NewLine, "content" | "image" | "deepThink">) => void;
  onTyping: () => void;
  /** Set while a reply is being written that we may stop. */
  onStop: (() => void) | undefined;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  title: string;
  isGuest: boolean;
  /** Beside the hint below the box. */
  extra: ReactNode;
}

/** The hub drops what comes more often (decisions §6). */
const TYPING_EVERY_MS = 2_000;
/** From here on the reader wants to know how much room is left. */
const COUNT_FROM = 0.7;

export function Composer(props: ComposerProps) {
  const { text, onText, picture, onSend, onTyping, onStop, inputRef, title, isGuest, extra } =
    props;
  const { data: left } = useQuery(quota);
  const [wantsDeepThink, setDeepThink] = useState(false);
  const [note, setNote] = useState<PlanNoteTopic>();
  const lastTyping = useRef(0);
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const count = countCharacters(text);
  const isTooLong = count > max;
  const { image, isPreparing } = picture;
  const canSend = (/\S/.test(text) || image !== undefined) && !isTooLong && !isPreparing;
  // What is left may not be enough any more.
  const deepThink = wantsDeepThink && left?.deep_think_available === true;

  const send = () => {
    if (canSend) onSend({ content: text, image, deepThink });
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter also ends a composition, e.g. of Japanese: that is no message yet.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const leave = (event: KeyboardEvent) => {
    // What was typed stays: it could not be brought back.
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    if (note) {
      setNote(undefined);
      inputRef.current?.focus();
    } else if (onStop) onStop();
    else picture.put(undefined);
  };
  const change = (value: string) => {
    onText(value);
    const now = Date.now();
    if (!value || now - lastTyping.current < TYPING_EVERY_MS) return;
    lastTyping.current = now;
    onTyping();
  };
  const paste = (event: ClipboardEvent) => {
    const file = pictureIn(event.clipboardData);
    if (!file) return;
    event.preventDefault();
    if (left?.allow_image) void picture.choose(file);
    else setNote("image");
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={leave}
    >
      {note && left && (
        <PlanNote topic={note} left={left} isGuest={isGuest} onClose={() => setNote(undefined)} />
      )}
      <div className="composer__box" data-wrong={isTooLong}>
        <ImagePreview {...picture} onRemove={() => picture.put(undefined)} />
        <ImageButton
          isAllowed={left?.allow_image ?? false}
          onChoose={(file) => void picture.choose(file)}
          onExplain={() => setNote("image")}
        />
        <Textarea
          ref={inputRef}
          className="composer__text"
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={9}
          aria-label={`Message to ${title}`}
          aria-invalid={isTooLong}
          aria-describedby="composer-hint"
          placeholder="Write a message"
          value={text}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={press}
          onPaste={paste}
        />
        {onStop && (
          <ActionIcon
            size={40}
            radius="xl"
            variant="default"
            aria-label="Stop the reply"
            title="Stop the reply (Esc)"
            onClick={onStop}
          >
            <StopIcon />
          </ActionIcon>
        )}
        <ActionIcon
          type="submit"
          size={40}
          radius="xl"
          variant="filled"
          color="live"
          aria-label="Send"
          disabled={!canSend}
        >
          <SendIcon />
        </ActionIcon>
      </div>
      <div className="composer__foot">
        {left && (
          <DeepThinkToggle
            left={left}
            isOn={deepThink}
            onChange={setDeepThink}
            onExplain={() => setNote("deep-think")}
          />
        )}
        {extra}
        <span id="composer-hint" className="composer__hint" data-wrong={isTooLong}>
          {count > max * COUNT_FROM
            ? `${count.toLocaleString("en")} of ${max.toLocaleString("en")} characters`
            : hint(left, deepThink)}
        </span>
      </div>
    </form>
  );
}

function hint(left: Quota | undefined, deepThink: boolean): string {
  if (!left) return "";
  const { daily_remaining, deep_think_cost } = left;
  if (daily_remaining === 0) return "No messages left today";
  const rest = daily_remaining.toLocaleString("en");
  if (deepThink) return `Takes ${deep_think_cost} of the ${rest} left today`;
  return `${rest} ${daily_remaining === 1 ? "message" : "messages"} left today`;
}
