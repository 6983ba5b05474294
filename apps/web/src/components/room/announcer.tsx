import { VisuallyHidden } from "@mantine/core";
import type { RoomMessage } from "@soul-hub/api";
import { useEffect, useRef, useState } from "react";

interface AnnouncerProps {
  messages: readonly RoomMessage[];
  selfName: string | undefined;
}

/** Long enough to follow, short enough not to talk over the next one. */
const SPOKEN_CHARACTERS = 280;
/** Of more that come at once, as after a cut, only the number is said. */
const SPOKEN_AT_ONCE = 2;

/** Says each new line of others once it is whole: a reply read letter by letter is noise. */
export function Announcer({ messages, selfName }: AnnouncerProps) {
  const newest = messages.at(-1)?.id;
  const seen = useRef<number>(undefined);
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    const { current: before } = seen;
    if (newest === undefined || newest === before) return;
    seen.current = newest;
    // What was there when we came is not news.
    if (before === undefined) return;
    const news = messages.filter(
      ({ id, role, sender_name }) => id > before && (role !== "user" || sender_name !== selfName),
    );
    if (news.length > SPOKEN_AT_ONCE) setSpoken(`${news.length} new messages`);
    else if (news.length > 0) {
      setSpoken(
        news
          .map(
            ({ sender_name, content }) => `${sender_name}: ${content.slice(0, SPOKEN_CHARACTERS)}`,
          )
          .join("\n"),
      );
    }
  }, [messages, newest, selfName]);
  return (
    <VisuallyHidden aria-live="polite" role="log">
      {spoken}
    </VisuallyHidden>
  );
}
