import "./composer.css";
import { ActionIcon, Textarea } from "@mantine/core";
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from "react";
import type { Quota } from "../../../queries.ts";
import { countCharacters } from "../../../soul-files.ts";
import { SendIcon, StopIcon } from "../../icons.tsx";
import { messageCount } from "../quota-messages.ts";
import { useRoomContext } from "../use-room-page.ts";
import { DeepThinkToggle, ImageButton } from "./composer-tools.tsx";
import { ImagePreview } from "./image-preview.tsx";
import { PlanNote, type PlanNoteTopic } from "./plan-note.tsx";
import { PrivateNote, PrivateSwitch } from "./private-switch.tsx";
import { imageIn } from "./use-image-choice.ts";

/** Milliseconds between typing events. The hub drops more frequent ones (decisions §6). */
const TYPING_EVERY_MS = 2_000;
/** Share of the character limit from which the composer shows the number of characters. */
const COUNT_FROM = 0.7;

export function Composer() {
  const page = useRoomContext();
  const { soul, left, text, setText, image: choice, input, stopReply } = page;
  const [wantsDeepThink, setDeepThink] = useState(false);
  const [note, setNote] = useState<PlanNoteTopic | "private">();
  const lastTyping = useRef(0);
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const count = countCharacters(text);
  const isTooLong = count > max;
  const { image, isPreparing } = choice;
  const hasContent = /\S/.test(text) || image !== undefined;
  const canSend = page.maySend && hasContent && !isTooLong && !isPreparing;
  // Deep think is left out if the remaining quota has dropped below the cost of deep think.
  const deepThink = wantsDeepThink && left?.deep_think_available === true;

  const closeNote = () => setNote(undefined);
  const send = () => {
    if (canSend) page.send({ content: text, image, deepThink });
  };
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "ArrowUp" && text === "" && isBare(event) && page.editLast()) {
      event.preventDefault();
      return;
    }
    // While an input method composes, e.g. Japanese, Enter confirms its suggestion only.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    if (note) {
      closeNote();
      input.current?.focus();
    } else if (stopReply) stopReply();
    else choice.put(undefined);
  };
  const change = (value: string) => {
    setText(value);
    const now = Date.now();
    if (!value || now - lastTyping.current < TYPING_EVERY_MS) return;
    lastTyping.current = now;
    page.sendTyping();
  };
  const pasteImage = (event: ClipboardEvent) => {
    const file = imageIn(event.clipboardData);
    if (!file) return;
    event.preventDefault();
    if (left?.allow_image) void choice.choose(file);
    else setNote("image");
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={closeOnEscape}
    >
      {note === "private" ? (
        <PrivateNote onClose={closeNote} />
      ) : (
        note && left && <PlanNote topic={note} left={left} onClose={closeNote} />
      )}
      <div className="composer__box" data-wrong={isTooLong}>
        <ImagePreview />
        <ImageButton
          isAllowed={left?.allow_image ?? false}
          onChoose={(file) => void choice.choose(file)}
          onExplain={() => setNote("image")}
        />
        <Textarea
          ref={input}
          className="composer__text"
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={9}
          aria-label={`Message to ${soul.title}`}
          aria-invalid={isTooLong}
          aria-describedby="composer-hint"
          placeholder="Write a message"
          value={text}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={handleKey}
          onPaste={pasteImage}
        />
        {stopReply && (
          <ActionIcon
            size={40}
            radius="xl"
            variant="default"
            aria-label="Stop the reply"
            title="Stop the reply (Esc)"
            onClick={stopReply}
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
        <PrivateSwitch
          isAsking={note === "private"}
          onAsk={() => setNote(note === "private" ? undefined : "private")}
        />
        <span id="composer-hint" className="composer__hint" data-wrong={isTooLong}>
          {count > max * COUNT_FROM
            ? `${count.toLocaleString("en")} of ${max.toLocaleString("en")} characters`
            : quotaHint(left, deepThink)}
        </span>
      </div>
    </form>
  );
}

/** True for a key without modifiers, outside of an input method. */
const isBare = ({ altKey, ctrlKey, metaKey, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  !(altKey || ctrlKey || metaKey || shiftKey || nativeEvent.isComposing);

function quotaHint(left: Quota | undefined, deepThink: boolean): string {
  if (!left) return "";
  const { daily_remaining, deep_think_cost } = left;
  if (daily_remaining === 0) return "No messages left today";
  const rest = `${messageCount(daily_remaining)} left today`;
  return deepThink ? `Uses ${deep_think_cost} of ${rest}` : rest;
}
