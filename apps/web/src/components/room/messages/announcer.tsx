import { VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useBlockedNames } from "../../blocks/use-blocked-names.ts";
import { useRoomContext } from "../room-context.ts";

/**
 * The maximum length of an announced message, in characters. A longer message is cut, because the
 * next announcement would interrupt it.
 */
const SPOKEN_CHARACTERS = 280;
/**
 * If more messages than this arrive at once, e.g. after a reconnect, only their number is
 * announced.
 */
const SPOKEN_AT_ONCE = 2;

/** Announces complete messages to screen readers. Pieces of a streaming reply would be noise. */
export function Announcer() {
  const { room, selfName } = useRoomContext();
  const { messages } = room;
  const blocked = useBlockedNames();
  const newest = messages.at(-1)?.id;
  const seen = useRef<number>(undefined);
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    const { current: before } = seen;
    // The page's own messages are on the room's path (0073). The joined room has other branches too.
    if (room.you === undefined || newest === undefined || newest === before) return;
    seen.current = newest;
    // The messages that the room contains on joining are not announced.
    if (before === undefined) return;
    const news = messages.filter(
      ({ id, role, sender_name }) =>
        id > before && (role !== "user" || (sender_name !== selfName && !blocked.has(sender_name))),
    );
    if (news.length > SPOKEN_AT_ONCE) setSpoken(`${news.length} new messages`);
    else if (news.length > 0) {
      setSpoken(
        news
          .map(
            ({ sender_name, content, audience }) =>
              `${sender_name}${audience === "people" ? ", off the record" : ""}: ${content.slice(0, SPOKEN_CHARACTERS)}`,
          )
          .join("\n"),
      );
    }
  }, [messages, newest, selfName, blocked, room.you]);
  return (
    <VisuallyHidden aria-live="polite" role="log">
      {spoken}
    </VisuallyHidden>
  );
}
