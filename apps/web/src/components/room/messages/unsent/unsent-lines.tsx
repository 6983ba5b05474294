import { useRoomContext } from "../../room-context.ts";
import { BrokenExchange } from "./broken-line.tsx";
import { OutboxLine } from "./outbox-line.tsx";

/**
 * What the room does not store: the reader's own messages that are being sent or have failed, and
 * broken replies to others.
 * @param place the message above; undefined below all, where messages are being sent
 */
export function UnsentLines({ place }: { place: number | undefined }) {
  const { unsent } = useRoomContext();
  return unsent
    .filter((one) => one.place === place)
    .map((one) =>
      one.item ? (
        <OutboxLine key={one.item.key} item={one.item} />
      ) : (
        <BrokenExchange key={one.reply.reply_id} reply={one.reply} />
      ),
    );
}
