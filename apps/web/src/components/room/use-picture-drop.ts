import { type DragEvent, useState } from "react";
import { pictureIn } from "./use-image-choice.ts";

/** Takes a picture that is dropped anywhere on the room. */
export function usePictureDrop(onDrop: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const carriesFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!carriesFile(event)) return;
        // Without this the browser would open the file in place of the page.
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!carriesFile(event)) return;
        event.preventDefault();
        const file = pictureIn(event.dataTransfer) ?? event.dataTransfer.files[0];
        if (file) onDrop(file);
      },
    },
  };
}
