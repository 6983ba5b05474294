import { createContext, use } from "react";

/**
 * State and actions of one room. `use-room-page.ts` composes them and merges their types in, so that
 * the parts of the room import this file and none above them (0027).
 */
// biome-ignore lint/suspicious/noEmptyInterface: see above
export interface RoomPage {}

export const RoomContext = createContext<RoomPage | undefined>(undefined);

/** State and actions of the room that contains the component. */
export function useRoomContext(): RoomPage {
  const page = use(RoomContext);
  if (!page) throw new Error("useRoomContext needs a RoomContext above it.");
  return page;
}
