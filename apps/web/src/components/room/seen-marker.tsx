import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { invalidate, myChats } from "../../queries.ts";
import { SeenReport } from "../room-list/seen-report.ts";
import { Throttle } from "../room-list/throttle.ts";
import { useFrontRoom } from "../room-list/use-front-room.ts";
import { isSameRoom } from "../ui/open-room.ts";
import { idOfLine, STORED_LINES } from "./messages/line-id.ts";
import { countWhere } from "./messages/scroll-anchor.ts";
import { useRoomContext } from "./room-context.ts";

const REFRESH_MS = 2_000;
const LOOK_MS = 250;

/**
 * Marks the open room as seen up to the last message in view, and refreshes the list of rooms after
 * each change of the room. It renders nothing, and needs a member.
 */
export function SeenMarker() {
  const { roomName: address, room, isLive, scroll, opening, unread } = useRoomContext();
  const newest = room.messages.at(-1)?.id;
  const isReading = isLive && !unread.isAway && !opening.isOpening;
  const { isAtEnd, scroller } = scroll;
  const position = room.you?.seen_to ?? 0;
  useFrontRoom(address, isReading && isAtEnd);

  // Only rooms of the list have counts. A visitor's look at another room is stored nowhere.
  const { data: listed } = useQuery({
    ...myChats,
    enabled: false,
    select: ({ sessions }) => sessions.find((one) => isSameRoom(one, address)),
  });
  const isKnown = listed?.unread === 0 && listed.last_message?.id === newest;
  const [report] = useState(() => new SeenReport(address));
  const isReported = isReading && listed !== undefined && !isKnown;
  useEffect(() => {
    const { current: box } = scroller;
    if (!isReported || !box) return;
    // At the end, what other branches hold counts as seen, too.
    if (isAtEnd) return void (newest !== undefined && report.see(newest));
    let last = position;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Messages have their heights some frames after they come into view.
    const lookSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        const id = lastInView(box) ?? 0;
        if (id > last) report.see(id);
        last = Math.max(last, id);
      }, LOOK_MS);
    };
    lookSoon();
    box.addEventListener("scroll", lookSoon, { passive: true });
    return () => {
      clearTimeout(timer);
      box.removeEventListener("scroll", lookSoon);
    };
  }, [report, isReported, isAtEnd, newest, scroller, position]);
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

/**
 * Id of the last message whose end is in view. Messages below a first unread one that was never in
 * view, which a link can lead to, do not count.
 */
function lastInView(box: Element): number | undefined {
  const { top, bottom } = box.getBoundingClientRect();
  const mark = box.querySelector<HTMLElement>(".room__unread");
  if (mark && mark.getBoundingClientRect().bottom > top) mark.dataset.seen = "";
  if (mark && mark.dataset.seen === undefined) return undefined;
  const lines = box.querySelectorAll(STORED_LINES);
  const last = lines[countWhere(lines, (line) => line.bottom <= bottom) - 1];
  return last && idOfLine(last);
}
