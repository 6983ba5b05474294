import { Button, Group, Textarea } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { exactCount } from "../../../../counts.ts";
import type { Failure } from "../../../../failures.ts";
import { submitWith } from "../../../../form-data.ts";
import { countCharacters } from "../../../../soul-files.ts";
import { FailureNote } from "../../../feedback/failure-note.tsx";
import { growing } from "../../../growing-textarea.tsx";
import { withImageMark, withoutImageMark } from "../../../ui/image-mark.ts";
import { SmallButton } from "../../../ui/small-button.tsx";
import { failureOfAction } from "../../failure-of-action.ts";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";

interface MessageEditorProps {
  line: ShownMessage;
  /** Whether the reader may ask the rewritten question. */
  mayBranch: boolean;
  onClose: () => void;
}

/** Edits a message in its place. The mark of an image is no part of the edited text. */
export function MessageEditor({ line, mayBranch, onClose }: MessageEditorProps) {
  const { left, reader, actions, askRewritten } = useRoomContext();
  const [base] = useState(line.content);
  const textBeside = withoutImageMark(base);
  const hasImage = textBeside !== undefined;
  const text = textBeside ?? base;
  const [draft, setDraft] = useState(text);
  const [running, setRunning] = useState<"save" | "ask">();
  const [failure, setFailure] = useState<Failure>();

  const over = countCharacters(draft) - (left?.max_input_chars ?? Number.POSITIVE_INFINITY);
  const isInvalid = over > 0 || !(hasImage || /\S/.test(draft));
  const canSave = reader.isMember && !isInvalid && draft !== text && running === undefined;
  /** The present text of the message, if it changed while the reader was editing. */
  const present = line.content === base ? undefined : line.content;
  const isRemoved = line.removed === true;

  const save = async (expected: string) => {
    setRunning("save");
    setFailure(undefined);
    try {
      await actions.edit(line.id, hasImage ? withImageMark(draft) : draft, expected);
      onClose();
    } catch (error) {
      setFailure(failureOfAction(error));
    }
    setRunning(undefined);
  };
  const askAgain = async () => {
    setRunning("ask");
    await askRewritten(line, draft);
    onClose();
  };
  const saveOnCtrlEnter = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    const isWanted = key === "Enter" && (ctrlKey || metaKey);
    if (isWanted && canSave && present === undefined) void save(base);
  };
  const cancel = (label: string) => (
    <SmallButton size="compact-md" onClick={onClose}>
      {label}
    </SmallButton>
  );
  return (
    <form
      className="stack stack--close line__editor"
      aria-label="Edit the message"
      onSubmit={submitWith(() => void save(base))}
      onKeyDown={saveOnCtrlEnter}
    >
      <Textarea
        autoFocus
        {...growing({ minRows: 2, maxRows: 14 })}
        size="md"
        aria-label="Text of the message"
        value={draft}
        error={over > 0 && `${exactCount(over)} characters over your plan's limit`}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(draft.length, draft.length)}
      />
      {present !== undefined && (
        <div className="note note--question line__panel" role="alert">
          <p>
            <strong>
              The message {isRemoved ? "was removed" : "changed"} while you were editing.
            </strong>{" "}
            {isRemoved ? "It can't be edited any more." : "It is now:"}
          </p>
          {!isRemoved && (
            <p className="long-text scrolled line__present" dir="auto">
              {present}
            </p>
          )}
        </div>
      )}
      {failure && (present === undefined || failure.code !== "room_changed") && (
        <FailureNote failure={failure} />
      )}
      {present === undefined ? (
        <Group gap={6}>
          {reader.isMember && (
            <Button
              type="submit"
              size="compact-md"
              loading={running === "save"}
              disabled={!canSave && running !== "save"}
            >
              Save
            </Button>
          )}
          {mayBranch && !hasImage && (
            <Button
              size="compact-md"
              variant={reader.isMember ? "default" : "filled"}
              loading={running === "ask"}
              disabled={isInvalid || running === "save"}
              onClick={() => void askAgain()}
            >
              {reader.isMember ? "Save and ask again" : "Ask again"}
            </Button>
          )}
          {cancel("Cancel")}
        </Group>
      ) : (
        <Group gap={6}>
          {!isRemoved && (
            <Button
              size="compact-md"
              loading={running === "save"}
              disabled={isInvalid}
              onClick={() => void save(present)}
            >
              Replace it with mine
            </Button>
          )}
          {cancel("Discard mine")}
        </Group>
      )}
      {mayBranch && hasImage && !isRemoved && (
        <p className="small">To ask it with other words, send the image again.</p>
      )}
    </form>
  );
}
