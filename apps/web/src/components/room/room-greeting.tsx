import { Button } from "@mantine/core";
import type { Soul } from "../../queries.ts";
import { Sigil } from "../sigil.tsx";

interface RoomGreetingProps {
  soul: Soul;
  onPick: (text: string) => void;
}

const openers = ["Hello! Who are you?", "What can you help me with?", "Where should we begin?"];

/** An empty room: whose it is and a first line to pick. */
export function RoomGreeting({ soul, onPick }: RoomGreetingProps) {
  return (
    <div className="room-greeting">
      <Sigil id={soul.id} size={96} />
      <h2>{soul.title}</h2>
      {soul.description.trim() && <p>{soul.description}</p>}
      <div className="room-greeting__openers">
        {openers.map((text) => (
          <Button key={text} variant="default" radius="xl" onClick={() => onPick(text)}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  );
}
