import { createContext, type ReactNode, use } from "react";
import { useRoomContext } from "../../room-context.ts";
import { mentionOf } from "./mention-words.ts";

const USERNAME = /^[\w-]+$/;

/** The usernames that messages highlight, longest first, joined by "|". */
const Names = createContext("");

/**
 * Provides the usernames of the members who are here. They are one text, so that messages render
 * again only when it changes.
 */
export function MentionableNames({ children }: { children: ReactNode }) {
  const { participants } = useRoomContext().room;
  const names = participants.flatMap(({ name }) => (USERNAME.test(name) ? name : []));
  const unique = [...new Set(names)].sort((a, b) => b.length - a.length || a.localeCompare(b));
  return <Names value={unique.join("|")}>{children}</Names>;
}

/** A message as typed, with highlighted mentions of members who are here. */
export function Mentions({ text }: { text: string }) {
  return text.includes("@") ? <Highlighted text={text} /> : text;
}

function Highlighted({ text }: { text: string }) {
  const names = use(Names);
  if (names === "") return text;
  return text.split(mentionOf(names)).map((part, at) =>
    at % 2 === 1 ? (
      <span key={at} className="line__at">
        {part}
      </span>
    ) : (
      part
    ),
  );
}
