import { GrowingTextarea } from "../../growing-textarea.tsx";
import "./composer.css";
import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from "react";
import { PlusIcon, SendIcon, StopIcon } from "../../icons.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { More } from "../../ui/more.tsx";
import { useRoomContext } from "../room-context.ts";
import { ComposerChips } from "./composer-chips.tsx";
import { ImageButton, ImagePreview } from "./image-preview.tsx";
import { useMentions } from "./mentions/use-mentions.ts";
import type { PlanNoteTopic } from "./plan-note.tsx";
import { useComposerEntries } from "./use-composer-entries.ts";
import { imageIn } from "./use-image-choice.ts";
import { useNextMessage } from "./use-next-message.ts";

const MentionList = lazyPart(() => import("./mentions/mention-list.tsx"), "MentionList");
const PlanNote = lazyPart(() => import("./plan-note.tsx"), "PlanNote");
const UnansweredHint = lazyPart(() => import("./unanswered-hint.tsx"), "UnansweredHint");

/** Milliseconds between typing events. The hub drops more frequent ones (decisions §6). */
const TYPING_EVERY_MS = 2_000;

export function Composer() {
  const page = useRoomContext();
  const { soul, room, left, draft, setDraft, image: choice, input, stopReply } = page;
  const { text, kind } = draft;
  const next = useNextMessage();
  const [note, setNote] = useState<PlanNoteTopic>();
  const entries = useComposerEntries(next, () => setNote("deep-think"));
  const mentions = useMentions();
  const lastTyping = useRef(0);
  const { image, isQuestion, isTooLong, canSend, deepThink } = next;
  // Escape stops the reply, too, while the button sends.
  const stop = next.hasContent ? undefined : stopReply;

  const closeNote = () => setNote(undefined);
  const send = () => {
    if (canSend) page.send({ content: text, image, deepThink });
  };
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (mentions.handleKey(event)) return;
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
    setDraft({ text: value });
    const now = Date.now();
    if (!value || now - lastTyping.current < TYPING_EVERY_MS) return;
    lastTyping.current = now;
    page.sendTyping();
  };
  const pasteImage = (event: ClipboardEvent) => {
    const file = imageIn(event.clipboardData);
    if (!file || !isQuestion) return;
    event.preventDefault();
    if (left?.allow_image) void choice.choose(file);
    else setNote("image");
  };
  return (
    <form
      className="stack composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={closeOnEscape}
    >
      {note && left && <PlanNote topic={note} left={left} onClose={closeNote} />}
      {page.unanswered.isShown && <UnansweredHint />}
      <div className="composer__box" data-wrong={isTooLong} data-kind={kind}>
        <VisuallyHidden role="status">
          {mentions.isOpen &&
            `${mentions.choices.length} to mention. Choose with the arrow keys, then Enter.`}
        </VisuallyHidden>
        {mentions.isOpen && <MentionList mentions={mentions} />}
        <ComposerChips next={next} />
        {isQuestion && <ImagePreview />}
        <More label="More options" entries={entries}>
          <PlusIcon />
        </More>
        {isQuestion && (
          <ImageButton
            isAllowed={left?.allow_image ?? false}
            onChoose={(file) => void choice.choose(file)}
            onExplain={() => setNote("image")}
          />
        )}
        <GrowingTextarea
          ref={input}
          className="composer__text"
          minRows={1}
          maxRows={9}
          aria-label={
            kind === "off-record" ? "Message to the people here" : `Message to ${soul.title}`
          }
          aria-invalid={isTooLong}
          aria-describedby="composer-hint"
          placeholder={placeholderOf(kind, room.room?.souls.length ?? 1)}
          value={text}
          onChange={(event) => {
            change(event.currentTarget.value);
            mentions.read(event);
          }}
          onSelect={mentions.read}
          onBlur={mentions.close}
          onKeyDown={handleKey}
          onPaste={pasteImage}
          {...mentions.field}
        />
        <ActionIcon
          type={stop ? "button" : "submit"}
          size={40}
          radius="xl"
          variant={stop ? "default" : "filled"}
          color="live"
          aria-label={
            stop ? "Stop the reply" : kind === "off-record" ? "Send off the record" : "Send"
          }
          title={stop && "Stop the reply (Esc)"}
          disabled={!stop && !canSend}
          // The second click of a double click on "Send" does not stop the reply.
          onClick={({ detail }) => {
            if (detail < 2) stop?.();
          }}
        >
          {stop ? <StopIcon /> : <SendIcon />}
        </ActionIcon>
      </div>
    </form>
  );
}

/** True for a key without modifiers, outside of an input method. */
const isBare = ({ altKey, ctrlKey, metaKey, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  !(altKey || ctrlKey || metaKey || shiftKey || nativeEvent.isComposing);

function placeholderOf(kind: string, souls: number): string {
  if (kind === "off-record") return "Write to the people here";
  return souls > 1 ? "Write, or @ to ask a soul" : "Write a message";
}
