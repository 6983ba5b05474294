import { useCallback, useState } from "react";
import type { ChosenImage } from "../../prepare-image.ts";

type Images = ReadonlyMap<number, ChosenImage>;

/** The images of rooms that the reader has left. They last until the page is closed. */
const kept = new Map<string, Images>();
/** The newest images that are kept of a room: each takes up to 5 MB of memory. */
const IMAGES_MAX = 12;

/**
 * The images that the reader has sent into a room, by message. The hub does not store images, so
 * only this tab has them.
 * @param room a name of the room and of the reader's account
 */
export function useSentImages(room: string) {
  const [images, setImages] = useState<Images>(() => kept.get(room) ?? new Map());
  const keepImage = useCallback(
    (id: number, image: ChosenImage) =>
      setImages((before) => {
        if (before.has(id)) return before;
        const newest = [...before, [id, image] as const].slice(-IMAGES_MAX);
        const next: Images = new Map(newest);
        kept.set(room, next);
        return next;
      }),
    [room],
  );
  return { images, keepImage };
}
