import { useLocalStorage } from "@mantine/hooks";
import { useRoomContext } from "../room-context.ts";

/** The newest version of the soul that the owner of the room has declined, and its setter. */
export function useStay() {
  const { soul, sessionToken } = useRoomContext();
  return useLocalStorage({
    key: `soulhub-stay/${soul.id}/${sessionToken}`,
    defaultValue: 0,
    getInitialValueInEffect: false,
  });
}
