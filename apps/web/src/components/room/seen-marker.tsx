import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { invalidate, myChats } from "../../queries.ts";
import { SeenReport } from "../room-list/seen-report.ts";
import { Throttle } from "../room-list/throttle.ts";
import { useFrontRoom } from "../room-list/use-front-room.ts";
import { isSameRoom } from "../ui/open-room.ts";
import { useRoomContext } from "./room-context.ts";

const REFRESH_MS = 2_000;

/**
 * Marks the open room as seen while its end is visible, and refreshes the list of rooms after each
 * change of the room. It renders nothing, and needs a member.
 */
export function SeenMarker() {
  const { roomName: address, room, isLive, scroll, unread } = useRoomContext();
  const newest = room.messages.at(-1)?.id;
  const isWatching = isLive && !unread.isAway && scroll.isAtEnd;
  useFrontRoom(address, isWatching);

  // Only rooms of the list have counts. A visitor's look at another room is stored nowhere.
  const { data: listed } = useQuery({
    ...myChats,
    enabled: false,
    select: ({ sessions }) => sessions.find((one) => isSameRoom(one, address)),
  });
  const isKnown = listed?.unread === 0 && listed.last_message?.id === newest;
  const [report] = useState(() => new SeenReport(address));
  useEffect(() => {
    if (isWatching && listed && !isKnown && newest !== undefined) report.see(newest);
  }, [report, isWatching, listed, isKnown, newest]);
  useEffect(() => () => void report.close(), [report]);

  const [refresh] = useState(
    () => new Throttle(() => void invalidate(myChats.queryKey), REFRESH_MS),
  );
  const state = isLive ? `${newest} ${room.room?.revision}` : undefined;
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (state === undefined || state === known.current) return;
    // The list is as new as the state in which the room is opened.
    if (known.current !== undefined) refresh.request();
    known.current = state;
  }, [refresh, state]);
  return null;
}
