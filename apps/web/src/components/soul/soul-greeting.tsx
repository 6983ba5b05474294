import type { Soul } from "../../queries.ts";
import { greetingOf, openers, startersOf } from "../../soul-files.ts";
import { Markdown } from "../markdown.tsx";
import { TalkButton } from "./talk-button.tsx";

const STARTERS = 3;

/** What the soul says first, and what to say to it: each starter opens a room with it typed. */
export function SoulGreeting({ soul }: { soul: Soul }) {
  const greeting = greetingOf(soul);
  const own = startersOf(soul);
  const starters = own.length > 0 ? own.slice(0, STARTERS) : openers;
  return (
    <section className="stack stack--close" aria-label="Begin a conversation">
      {greeting && (
        <blockquote className="quote clamp soul__greeting" dir="auto">
          <Markdown text={greeting} compact />
        </blockquote>
      )}
      <div className="row starters">
        {starters.map((text) => (
          <TalkButton
            key={text}
            variant="default"
            radius="xl"
            leftSection={null}
            soulId={soul.id}
            soulTitle={soul.title}
            label={text}
            draft={text}
          />
        ))}
      </div>
    </section>
  );
}
