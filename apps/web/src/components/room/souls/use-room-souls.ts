import type { RoomSettings } from "@soul-hub/api";
import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { useRoomContext } from "../room-context.ts";

export type SoulInRoom = RoomSettings["souls"][number];

interface ChosenSoul {
  soul_id: number;
  /** Null follows the soul. */
  version: number | null;
}

interface SoulSettings {
  /** Replaces the whole list. The room's own soul is in it. */
  souls?: readonly ChosenSoul[];
  answers?: "always" | "addressed";
}

/** The souls of the room, its own first, and the owner's changes of them. */
export function useRoomSouls() {
  const { roomName, room } = useRoomContext();
  const { souls = [], revision } = room.room ?? {};
  const change = useMutation({
    mutationFn: ({ souls: chosen, answers }: SoulSettings) =>
      hub.rooms.set.mutate({
        ...roomName,
        souls: chosen?.map(({ soul_id, version }) => ({ soul_id, version })),
        answers,
        expected_revision: revision,
      }),
  });
  return { souls, change };
}
