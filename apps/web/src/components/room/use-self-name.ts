import type { RoomState } from "@soul-hub/client";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { me } from "../../queries.ts";

/**
 * The name the room knows us by. The hub tells no guest their label, so it is learnt: whoever is
 * alone in a room is the one looking at it, and the first question asked gives it away.
 */
export function useSelfName({ participants, connection }: RoomState) {
  const { data: user } = useQuery(me);
  const [guestName, setGuestName] = useState<string>();
  const [only, ...others] = participants;
  const alone =
    connection === "live" && others.length === 0 && only?.kind === "guest" ? only.name : undefined;
  useEffect(() => {
    if (user === null && alone) setGuestName(alone);
  }, [user, alone]);
  const learn = useCallback((name: string) => setGuestName(name), []);
  return { selfName: user?.username ?? guestName, isGuest: user === null, learn };
}
