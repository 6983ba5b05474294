import { useRoomContext } from "../../room-context.ts";
import { PendingReply } from "../pending-reply.tsx";
import { BrokenExchange } from "./broken-line.tsx";
import { OutboxLine } from "./outbox-line.tsx";

/**
 * What the room does not store: the reader's own messages that are being answered, wait or have
 * failed, and broken replies to others.
 * @param place the message above; undefined below all, where messages are being sent or wait
 */
export function UnsentLines({ place }: { place: number | undefined }) {
  const { unsent } = useRoomContext();
  return unsent
    .filter((one) => one.place === place)
    .map((one) => {
      if ("item" in one) return <OutboxLine key={one.item.key} item={one.item} />;
      if ("reply" in one) return <BrokenExchange key={one.reply.reply_id} reply={one.reply} />;
      return <PendingReply key={one.pending.reply_id} reply={one.pending} />;
    });
}
