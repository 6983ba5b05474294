import { ActionIcon, FileButton } from "@mantine/core";
import { ImageIcon } from "../../icons.tsx";

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
