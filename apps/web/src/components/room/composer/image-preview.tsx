import { ActionIcon, Loader } from "@mantine/core";
import { chooseImage } from "../../choose-image.ts";
import { CrossIcon, ImageIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";

/** The image that goes with the next message, or the reason why it can't be sent. */
export function ImagePreview() {
  const { image, problem, isPreparing, put } = useRoomContext().image;
  if (!image && !problem && !isPreparing) return null;
  return (
    <div className="item image-preview" role="status" data-wrong={problem !== undefined}>
      {isPreparing && <Loader size="sm" aria-label="Checking the image" />}
      {image && <img src={image.dataUri} alt={`To be sent: ${image.name}`} />}
      <p className="item__words">
        {problem ? "This file can't be sent." : image?.name}
        <small>
          {problem ??
            (image && (image.note ?? "Only the soul sees it. The room doesn't save images."))}
        </small>
      </p>
      {!isPreparing && (
        <ActionIcon
          size={36}
          radius="xl"
          aria-label={image ? "Remove the image" : "Close"}
          onClick={() => put(undefined)}
        >
          <CrossIcon size={18} />
        </ActionIcon>
      )}
    </div>
  );
}

interface ImageButtonProps {
  isAllowed: boolean;
  onChoose: (file: File) => void;
  onExplain: () => void;
}

export function ImageButton({ isAllowed, onChoose, onExplain }: ImageButtonProps) {
  return (
    <ActionIcon
      size={40}
      radius="xl"
      aria-label={isAllowed ? "Send an image" : "Send an image: not in your plan"}
      title="Send an image"
      onClick={() => (isAllowed ? chooseImage(onChoose) : onExplain())}
    >
      <ImageIcon />
    </ActionIcon>
  );
}
