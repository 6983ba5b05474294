import { ActionIcon, FileButton, Switch, UnstyledButton } from "@mantine/core";
import type { Quota } from "../../../queries.ts";
import { ImageIcon, LockIcon } from "../../icons.tsx";

interface ImageButtonProps {
  isAllowed: boolean;
  onChoose: (file: File) => void;
  onExplain: () => void;
}

export function ImageButton({ isAllowed, onChoose, onExplain }: ImageButtonProps) {
  return (
    <FileButton
      accept="image/*"
      onChange={(file) => {
        if (file) onChoose(file);
      }}
    >
      {({ onClick }) => (
        <ActionIcon
          size={40}
          radius="xl"
          aria-label={isAllowed ? "Send an image" : "Send an image: not in your plan"}
          title="Send an image"
          onClick={isAllowed ? onClick : onExplain}
        >
          <ImageIcon />
        </ActionIcon>
      )}
    </FileButton>
  );
}

interface DeepThinkToggleProps {
  left: Quota;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  onExplain: () => void;
}

/**
 * The deep think switch with the cost in its label, or a locked button while deep think is
 * unavailable.
 */
export function DeepThinkToggle({ left, isOn, onChange, onExplain }: DeepThinkToggleProps) {
  const { deep_think_available, deep_think_cost } = left;
  if (!deep_think_available) {
    return (
      <UnstyledButton className="row composer__locked" onClick={onExplain}>
        <LockIcon size={14} /> Deep think
      </UnstyledButton>
    );
  }
  return (
    <Switch
      size="sm"
      label={`Deep think (${deep_think_cost} messages)`}
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
