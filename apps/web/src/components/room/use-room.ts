import { type JoinedRoom, joinRoom, type RoomState } from "@soul-hub/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { hub } from "../../hub.ts";

const outside: RoomState = {
  connection: "connecting",
  via: "socket",
  lost_at: undefined,
  you: undefined,
  is_private: false,
  messages: [],
  participants: [],
  online_count: 0,
  typing: [],
  replies: [],
  failed: undefined,
  error: undefined,
};

/**
 * Is in the room for as long as the page is.
 * @param isReady false until a guest has the cookie that the socket needs
 */
export function useRoom(soulId: number, sessionToken: string, isReady: boolean) {
  const [room, setRoom] = useState<JoinedRoom>();
  useEffect(() => {
    if (!isReady) return;
    const joined = joinRoom({ client: hub, soul_id: soulId, session_token: sessionToken });
    setRoom(joined);
    return () => {
      joined.close();
      setRoom(undefined);
    };
  }, [soulId, sessionToken, isReady]);
  const subscribe = useCallback((listener: () => void) => gathered(room, listener), [room]);
  const state = useSyncExternalStore(subscribe, () => room?.getSnapshot() ?? outside);
  const retryNow = useCallback(() => room?.retryNow(), [room]);
  useEffect(() => {
    // The device knows first; and who comes back to the page should not have to wait.
    const look = () => {
      if (document.visibilityState === "visible") retryNow();
    };
    window.addEventListener("online", retryNow);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("online", retryNow);
      document.removeEventListener("visibilitychange", look);
    };
  }, [retryNow]);
  return { room: state, retryNow };
}

/** About one frame. */
const GATHER_MS = 16;

/**
 * One rendering for all that comes in one go: on entering, two hundred messages come one by one,
 * and a reply comes in many small pieces.
 */
function gathered(room: JoinedRoom | undefined, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = room?.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, GATHER_MS);
  });
  return () => {
    clearTimeout(timer);
    stop?.();
  };
}
