import { GrowingTextarea } from "../../growing-textarea.tsx";
import "./composer.css";
import { ActionIcon } from "@mantine/core";
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from "react";
import { countCharacters } from "../../../soul-files.ts";
import { OffRecordIcon, SendIcon, StopIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";
import { ComposerFoot, type ComposerNote } from "./composer-foot.tsx";
import { ImageButton, ImagePreview } from "./image-preview.tsx";
import { MentionList } from "./mentions/mention-list.tsx";
import { useMentions } from "./mentions/use-mentions.ts";
import { PlanNote } from "./plan-note.tsx";
import { PrivateNote } from "./private-switch.tsx";
import { UnansweredHint } from "./unanswered-hint.tsx";
import { imageIn } from "./use-image-choice.ts";

/** Milliseconds between typing events. The hub drops more frequent ones (decisions §6). */
const TYPING_EVERY_MS = 2_000;

export function Composer() {
  const page = useRoomContext();
  const { soul, room, left, draft, setDraft, image: choice, input, stopReply } = page;
  const { text, kind } = draft;
  const [wantsDeepThink, setDeepThink] = useState(false);
  const [note, setNote] = useState<ComposerNote>();
  const mentions = useMentions();
  const lastTyping = useRef(0);
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const isTooLong = countCharacters(text) > max;
  const isQuestion = kind === "question";
  const image = isQuestion ? choice.image : undefined;
  const hasContent = /\S/.test(text) || image !== undefined;
  const isPreparing = isQuestion && choice.isPreparing;
  const canSend = page.maySend && hasContent && !isTooLong && !isPreparing;
  // Deep think is left out if the remaining quota has dropped below the cost of deep think.
  const deepThink = isQuestion && wantsDeepThink && left?.deep_think_available === true;

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
      {note === "private" ? (
        <PrivateNote onClose={closeNote} />
      ) : (
        note && left && <PlanNote topic={note} left={left} onClose={closeNote} />
      )}
      <UnansweredHint />
      <div className="composer__box" data-wrong={isTooLong} data-kind={kind}>
        <MentionList mentions={mentions} />
        {kind === "off-record" && (
          <p className="small composer__mark">
            <OffRecordIcon size={15} /> <strong>Off the record.</strong> People here read it, a soul
            never does.
          </p>
        )}
        {isQuestion && (
          <>
            <ImagePreview />
            <ImageButton
              isAllowed={left?.allow_image ?? false}
              onChoose={(file) => void choice.choose(file)}
              onExplain={() => setNote("image")}
            />
          </>
        )}
        <GrowingTextarea
          ref={input}
          className="composer__text"
          variant="unstyled"
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
          aria-label={kind === "off-record" ? "Send off the record" : "Send"}
          disabled={!canSend}
        >
          <SendIcon />
        </ActionIcon>
      </div>
      <ComposerFoot
        deepThink={deepThink}
        onDeepThink={setDeepThink}
        note={note}
        onNote={setNote}
        isTooLong={isTooLong}
      />
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
