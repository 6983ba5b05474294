import { useWindowEvent } from "@mantine/hooks";
import type { RoomMessage } from "@soul-hub/api";
import { emptyRoom, type JoinedRoom, joinRoom } from "@soul-hub/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { hub, reconnect } from "../../hub.ts";
import { firstLines, queryClient } from "../../queries.ts";

/**
 * Joins a room on mount and leaves it on unmount.
 * @param isReady false until a guest has the cookie that the socket needs
 */
export function useRoom(soulId: number, sessionToken: string, isReady: boolean) {
  const [room, setRoom] = useState<JoinedRoom>();
  /** Counts the connections: each has the identity of its cookies. */
  const [connection, setConnection] = useState(0);
  useEffect(() => {
    if (!isReady) return;
    const joined = joinRoom({ client: hub, soul_id: soulId, session_token: sessionToken });
    setRoom(joined);
    return () => {
      joined.close();
      setRoom(undefined);
    };
  }, [soulId, sessionToken, isReady, connection]);
  const subscribe = useCallback((listener: () => void) => subscribeBatched(room, listener), [room]);
  const received = useSyncExternalStore(subscribe, () => room?.getSnapshot() ?? emptyRoom);
  const [first, setFirst] = useState(() =>
    queryClient.getQueryData<RoomMessage[]>(firstLines(soulId, sessionToken)),
  );
  // The room is complete with its first `sync` event. Later, the first lines may be out of date.
  if (first && received.revision !== undefined) setFirst(undefined);
  useEffect(
    () => queryClient.removeQueries({ queryKey: firstLines(soulId, sessionToken) }),
    [soulId, sessionToken],
  );
  const state = first ? { ...received, messages: first } : received;
  const retryNow = () => room?.retryNow();
  // The room reconnects at once when the device is online again or the reader returns to the tab.
  useWindowEvent("online", retryNow);
  useWindowEvent("visibilitychange", () => {
    if (document.visibilityState === "visible") retryNow();
  });
  const rejoin = () => {
    // The room is closed first. It would open the former connection again.
    room?.close();
    reconnect();
    setConnection(connection + 1);
  };
  return { room: state, retryNow, rejoin };
}

/** Milliseconds between two renders of a room: about one frame of the display. */
const BATCH_MS = 16;

/** Calls `listener` once per frame: on joining, a room of 200 messages sends 200 events. */
function subscribeBatched(room: JoinedRoom | undefined, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = room?.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, BATCH_MS);
  });
  return () => {
    clearTimeout(timer);
    stop?.();
  };
}
