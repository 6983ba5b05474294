import type { RoomSettings } from "@soul-hub/api";
import { mentionsIn } from "./mentions/mention-text.ts";

/** The number of souls that reply to a new message (0041). */
export function addressedCount(room: RoomSettings | undefined, text: string): number {
  if (!room) return 1;
  const names = mentionsIn(text);
  const mentioned = room.souls.filter(({ handle }) => names.includes(handle));
  if (mentioned.length > 0) return mentioned.length;
  return room.answers === "addressed" ? 0 : 1;
}
