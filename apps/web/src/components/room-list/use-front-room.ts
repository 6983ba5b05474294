import { useEffect } from "react";
import type { RoomName } from "../../queries.ts";

const lockOf = ({ soul_id, session_token }: RoomName) =>
  `soulhub-front/${soul_id}/${session_token}`;

/** Lets the other tabs know that the member is reading a room in this one. */
export function useFrontRoom({ soul_id, session_token }: RoomName, isReading: boolean): void {
  useEffect(() => {
    // Browsers offer locks, like notifications, only over HTTPS. A closed tab releases its locks.
    if (!isReading || !navigator.locks) return;
    const left = Promise.withResolvers<void>();
    const name = lockOf({ soul_id, session_token });
    void navigator.locks.request(name, { mode: "shared" }, () => left.promise);
    return () => left.resolve();
  }, [soul_id, session_token, isReading]);
}

/** True if the member is reading the room in any tab. */
export async function isInFront(room: RoomName): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === lockOf(room));
}
