import { Button } from "@mantine/core";
import { greetingOf, openers, startersOf } from "../../../soul-files.ts";
import { Sigil } from "../../ui/sigil.tsx";
import { useRoomContext } from "../room-context.ts";
import { MessageLine } from "./message-line.tsx";

/** Introduces the soul in an empty room, and suggests first messages. */
export function RoomGreeting() {
  const { soul, draft, write } = useRoomContext();
  const own = startersOf(soul);
  const starters = own.length > 0 ? own : openers;
  // Another starter takes the place of the chosen one. The reader's own words stay.
  const kept = starters.includes(draft.text) ? "" : draft.text;
  const greeting = greetingOf(soul);
  return (
    <>
      <div className="stack blank-slate room-greeting">
        <Sigil id={soul.id} size={96} />
        <h2 dir="auto">{soul.title}</h2>
        {soul.description.trim() && <p dir="auto">{soul.description}</p>}
      </div>
      {greeting && (
        <MessageLine by="assistant" name={soul.title} text={greeting} soulId={soul.id} />
      )}
      <div className="row row--center starters">
        {starters.map((text) => (
          <Button
            key={text}
            variant="default"
            radius="xl"
            onClick={() => write(text, draft.kind, kept)}
          >
            <span dir="auto">{text}</span>
          </Button>
        ))}
      </div>
    </>
  );
}
