import { useRoomContext } from "../room-context.ts";

/** Returns the id and title of the soul that a reply names: by default the room's own soul. */
export function useSoulOf() {
  const { soul, room } = useRoomContext();
  const souls = room.room?.souls ?? [];
  /** @param title the title of a soul that may have left the room */
  return (soulId: number | undefined, title = "A soul"): { id: number; title: string } => {
    if (soulId === undefined || soulId === soul.id) return soul;
    const found = souls.find(({ soul_id }) => soul_id === soulId);
    return { id: soulId, title: found?.title ?? title };
  };
}
