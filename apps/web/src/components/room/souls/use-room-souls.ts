import type { RoomSettings } from "@soul-hub/api";
import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import type { RoomChange } from "../../../queries.ts";
import { useRoomContext } from "../room-context.ts";

export type SoulInRoom = RoomSettings["souls"][number];

/**
 * The souls of the room, its own first, and the owner's changes of them. A change replaces the
 * whole list, with the room's own soul. The version null follows the soul.
 */
export function useRoomSouls() {
  const { roomName, room } = useRoomContext();
  const { souls = [], revision } = room.room ?? {};
  const change = useMutation({
    mutationFn: ({ souls: chosen, answers }: Pick<RoomChange, "souls" | "answers">) =>
      hub.rooms.set.mutate({
        ...roomName,
        souls: chosen?.map(({ soul_id, version }) => ({ soul_id, version })),
        answers,
        expected_revision: revision,
      }),
  });
  return { souls, change };
}
