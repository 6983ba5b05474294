import { ActionIcon, FileButton, Switch, UnstyledButton } from "@mantine/core";
import type { Quota } from "../../queries.ts";
import { ImageIcon, LockIcon } from "../icons.tsx";

interface ImageButtonProps {
  isAllowed: boolean;
  onChoose: (file: File) => void;
  onExplain: () => void;
}

export function ImageButton({ isAllowed, onChoose, onExplain }: ImageButtonProps) {
  const look = { size: 40, radius: "xl", className: "composer__attach" };
  if (!isAllowed) {
    return (
      <ActionIcon {...look} aria-label="Send a picture: not in your plan" onClick={onExplain}>
        <ImageIcon />
      </ActionIcon>
    );
  }
  return (
    <FileButton
      accept="image/*"
      onChange={(file) => {
        if (file) onChoose(file);
      }}
    >
      {(props) => (
        <ActionIcon {...look} {...props} aria-label="Send a picture" title="Send a picture">
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

/** Says what it costs before it is switched on. */
export function DeepThinkToggle({ left, isOn, onChange, onExplain }: DeepThinkToggleProps) {
  const { deep_think_available, deep_think_cost } = left;
  if (!deep_think_available) {
    return (
      <UnstyledButton className="composer__locked" onClick={onExplain}>
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
