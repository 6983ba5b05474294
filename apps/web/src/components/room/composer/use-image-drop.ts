import { type DragEvent, useState } from "react";
import { imageIn } from "./use-image-choice.ts";

/** Drag handlers that accept an image dropped anywhere on the room's page. */
export function useImageDrop(onDrop: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFile(event)) return;
        // Without preventDefault, the browser replaces the page with the dropped file.
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!hasFile(event)) return;
        event.preventDefault();
        const file = imageIn(event.dataTransfer) ?? event.dataTransfer.files[0];
        if (file) onDrop(file);
      },
    },
  };
}
