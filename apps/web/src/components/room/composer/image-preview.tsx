import { ActionIcon, Loader } from "@mantine/core";
import { CrossIcon } from "../../icons.tsx";
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
