import { ActionIcon, Loader } from "@mantine/core";
import { CrossIcon } from "../icons.tsx";
import type { ChosenImage } from "./prepare-image.ts";

interface ImagePreviewProps {
  image: ChosenImage | undefined;
  problem: string | undefined;
  isPreparing: boolean;
  onRemove: () => void;
}

/** What will be sent along, or why it can't be. */
export function ImagePreview({ image, problem, isPreparing, onRemove }: ImagePreviewProps) {
  if (!image && !problem && !isPreparing) return null;
  return (
    <div className="image-preview" role="status" data-wrong={problem !== undefined}>
      {isPreparing && <Loader size="sm" aria-label="Looking at the picture" />}
      {image && <img src={image.dataUri} alt={`To be sent: ${image.name}`} />}
      <p>
        {problem ? (
          <>
            <strong>That can't be sent.</strong> {problem}
          </>
        ) : (
          image && (
            <>
              <strong>{image.name}</strong>
              {image.note ?? "The soul sees it once; the room keeps no picture."}
            </>
          )
        )}
      </p>
      {!isPreparing && (
        <ActionIcon
          size={36}
          radius="xl"
          aria-label={image ? "Remove the picture" : "Close"}
          onClick={onRemove}
        >
          <CrossIcon size={18} />
        </ActionIcon>
      )}
    </div>
  );
}
