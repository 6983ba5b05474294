import { Button } from "@mantine/core";
import { useState } from "react";
import { submitWith } from "../../../../form-data.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import type { MessageActions } from "./use-message-actions.ts";

/** UTF-16 code units. The longest emojis, families and flags, are shorter. */
const EMOJI_UNITS = 35;

interface ReactionPanelProps {
  line: ShownMessage;
  actions: MessageActions;
  onClose: () => void;
}

/** A field for an emoji that the menu does not offer. */
export function ReactionPanel({ line, actions, onClose }: ReactionPanelProps) {
  const [other, setOther] = useState("");
  const react = (emoji: string) => {
    onClose();
    void actions.react(line.id, emoji, true);
  };
  const wanted = other.trim();
  return (
    <form
      className="note line__panel"
      aria-label="React to this message"
      onSubmit={submitWith(() => wanted && react(wanted))}
    >
      <input
        className="chip line__other"
        ref={focusFirst}
        aria-label="Emoji"
        placeholder="An emoji"
        maxLength={EMOJI_UNITS}
        value={other}
        onChange={({ currentTarget }) => setOther(currentTarget.value)}
      />
      {wanted && (
        <Button type="submit" size="compact-md">
          React
        </Button>
      )}
    </form>
  );
}

const focusFirst = (button: HTMLElement | null) => button?.focus();
