import { createContext, Fragment, type ReactNode, use } from "react";
import { useMentionRules } from "../../composer/mentions/use-mention-rules.ts";
import { useRoomContext } from "../../room-context.ts";

const USERNAME = /^[\w-]+$/;

/** The usernames that messages highlight, joined by spaces. */
const Names = createContext("");

/**
 * Provides the usernames of the members who are here. They are one text, so that messages render
 * again only when it changes.
 */
export function MentionableNames({ children }: { children: ReactNode }) {
  const { participants } = useRoomContext().room;
  const names = participants.flatMap(({ name }) => (USERNAME.test(name) ? name : []));
  return <Names value={[...new Set(names)].sort().join(" ")}>{children}</Names>;
}

/** A message as typed, with highlighted mentions of members who are here. */
export function Mentions({ text }: { text: string }) {
  return text.includes("@") ? <Highlighted text={text} /> : text;
}

function Highlighted({ text }: { text: string }) {
  const names = use(Names);
  const rules = useMentionRules(text);
  const mentions = names === "" ? [] : (rules?.findMentions(text, names.split(" ")) ?? []);
  return (
    <>
      {mentions.map(({ start, end }, nth) => (
        <Fragment key={start}>
          {text.slice(mentions[nth - 1]?.end ?? 0, start)}
          <span className="line__at">{text.slice(start, end)}</span>
        </Fragment>
      ))}
      {text.slice(mentions.at(-1)?.end ?? 0)}
    </>
  );
}
