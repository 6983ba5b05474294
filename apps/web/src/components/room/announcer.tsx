import { VisuallyHidden } from "@mantine/core";
import type { RoomMessage } from "@soul-hub/api";
import { useEffect, useRef, useState } from "react";

interface AnnouncerProps {
  messages: readonly RoomMessage[];
  selfName: string | undefined;
}

/** Long enough to follow, short enough not to talk over the next one. */
const SPOKEN_CHARACTERS = 280;

/** Says each new line of others once it is whole: a reply read letter by letter is noise. */
export function Announcer({ messages, selfName }: AnnouncerProps) {
  const newest = messages.at(-1);
  const seen = useRef<number>(undefined);
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    if (!newest || newest.id === seen.current) return;
    // What was there when we came is not news.
    const isNews = seen.current !== undefined;
    seen.current = newest.id;
    const isOwn = newest.role === "user" && newest.sender_name === selfName;
    if (isNews && !isOwn) {
      setSpoken(`${newest.sender_name}: ${newest.content.slice(0, SPOKEN_CHARACTERS)}`);
    }
  }, [newest, selfName]);
  return (
    <VisuallyHidden aria-live="polite" role="log">
      {spoken}
    </VisuallyHidden>
  );
}
