import "./composer.css";
import { ActionIcon, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";
import { quota } from "../../queries.ts";
import { countCharacters } from "../../soul-files.ts";
import { SendIcon, StopIcon } from "../icons.tsx";

interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  onSend: (content: string) => void;
  onTyping: () => void;
  /** Set while a reply of ours is being written. */
  onStop: (() => void) | undefined;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  title: string;
  /** Beside the hint below the box. */
  extra: ReactNode;
}

/** The hub drops what comes more often (decisions §6). */
const TYPING_EVERY_MS = 2_000;
/** From here on the reader wants to know how much room is left. */
const COUNT_FROM = 0.7;

export function Composer(props: ComposerProps) {
  const { text, onText, onSend, onTyping, onStop, inputRef, title, extra } = props;
  const { data: left } = useQuery(quota);
  const lastTyping = useRef(0);
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const count = countCharacters(text);
  const isTooLong = count > max;
  const canSend = /\S/.test(text) && !isTooLong;

  const send = () => {
    if (canSend) onSend(text);
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter also ends a composition, e.g. of Japanese: that is no message yet.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const change = (value: string) => {
    onText(value);
    const now = Date.now();
    if (!value || now - lastTyping.current < TYPING_EVERY_MS) return;
    lastTyping.current = now;
    onTyping();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer__box" data-wrong={isTooLong}>
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
        />
        {onStop && (
          <ActionIcon
            size={40}
            radius="xl"
            variant="default"
            aria-label="Stop the reply"
            title="Stop the reply"
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
        {extra}
        <span id="composer-hint" className="composer__hint" data-wrong={isTooLong}>
          {count > max * COUNT_FROM
            ? `${count.toLocaleString("en")} of ${max.toLocaleString("en")} characters`
            : hint(left)}
        </span>
      </div>
    </form>
  );
}

function hint(left: { daily_remaining: number; daily_limit: number } | undefined): string {
  if (!left) return "";
  const { daily_remaining } = left;
  if (daily_remaining === 0) return "No messages left today";
  return `${daily_remaining.toLocaleString("en")} ${daily_remaining === 1 ? "message" : "messages"} left today`;
}
