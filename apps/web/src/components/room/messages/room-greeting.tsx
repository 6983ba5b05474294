import { Button, Group } from "@mantine/core";
import { Sigil } from "../../soul/sigil.tsx";
import { useRoomContext } from "../use-room-page.ts";

const openers = ["Hello! Who are you?", "What can you help me with?", "Where should we begin?"];

/** Introduces the soul in an empty room, and suggests first messages. */
export function RoomGreeting() {
  const { soul, write } = useRoomContext();
  return (
    <div className="room-greeting">
      <Sigil id={soul.id} size={96} />
      <h2 dir="auto">{soul.title}</h2>
      {soul.description.trim() && <p dir="auto">{soul.description}</p>}
      <Group gap="xs" justify="center" mt="lg">
        {openers.map((text) => (
          <Button key={text} variant="default" radius="xl" onClick={() => write(text)}>
            {text}
          </Button>
        ))}
      </Group>
    </div>
  );
}
