import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { useRoomContext } from "../use-room-page.ts";

/** The room's own soul with the version that answers, and the owner's choice of that version. */
export function usePin() {
  const { soul, sessionToken, room } = useRoomContext();
  const { souls = [], revision } = room.room ?? {};
  const pin = useMutation({
    /** @param version null follows the soul */
    mutationFn: (version: number | null) =>
      hub.rooms.set.mutate({
        soul_id: soul.id,
        session_token: sessionToken,
        // The call replaces the whole list, so the other souls stay in it.
        souls: souls.map((one) => ({
          soul_id: one.soul_id,
          version: one.soul_id === soul.id ? version : one.version,
        })),
        expected_revision: revision,
      }),
  });
  return { host: souls.find(({ soul_id }) => soul_id === soul.id), pin };
}
