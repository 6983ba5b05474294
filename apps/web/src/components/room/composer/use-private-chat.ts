import { ask } from "../../feedback/confirm.tsx";
import { useRoomContext } from "../room-context.ts";

/**
 * The reader's choice to make the room private with the next message; undefined if the reader may
 * not choose. It asks first, because a private room stays private (decisions §5).
 */
export function usePrivateChat() {
  const { isPrivate, wantsPrivate, setWantsPrivate, canSetPrivate, setDraft } = useRoomContext();
  // A reader who chose it before another person's first message can only take it back.
  if (isPrivate || !(canSetPrivate || wantsPrivate)) return undefined;
  const choose = () =>
    ask({
      title: "Make this room private?",
      body: "From your next message on, only you can read and write here. Everyone else is removed and the link stops working for them. This can't be undone.",
      verb: "Yes, with my next message",
      tone: "live",
      run: async () => {
        setWantsPrivate(true);
        // Only a question makes the room private.
        setDraft({ kind: "question" });
      },
    });
  return { isOn: wantsPrivate, toggle: wantsPrivate ? () => setWantsPrivate(false) : choose };
}
