import { useRoomContext } from "../room-context.ts";
import { type SoulInRoom, useRoomSouls } from "../souls/use-room-souls.ts";

/** The room's own soul with the version that answers, and the owner's choice of that version. */
export function usePin() {
  const { soul } = useRoomContext();
  const { souls, change } = useRoomSouls();
  const { isPending, isError, error } = change;
  return {
    host: souls.find(
      // Without `latest`, the reader may not use the soul.
      (one): one is SoulInRoom & { latest: number } =>
        one.soul_id === soul.id && one.latest !== null,
    ),
    pin: {
      isPending,
      isError,
      error,
      /** @param version null follows the soul */
      mutate: (version: number | null) =>
        change.mutate({
          souls: souls.map((one) => (one.soul_id === soul.id ? { ...one, version } : one)),
        }),
    },
  };
}
