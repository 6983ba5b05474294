import type { RoomState } from "@soul-hub/client";
import { hub } from "../../../hub.ts";
import { toastFailure } from "../../feedback/toasts.tsx";

type Reply = RoomState["replies"][number];

/** Stops replies: the reader's own, and as the owner of the room every one. */
export function useStopReply({ replies, you }: RoomState, selfName: string | undefined) {
  const isOwn = ({ sender_name }: Reply) => sender_name === selfName;
  const stopOf = (reply: Reply) =>
    isOwn(reply) || you?.is_owner ? () => void cancel(reply.reply_id) : undefined;
  const stoppable = replies.find(isOwn) ?? replies.at(-1);
  return {
    /** Stops a reply; undefined if the reader may not. */
    stopOf,
    /**
     * Stops the reply to the reader's own question, or for the owner the newest reply. Undefined if
     * there is no such reply in progress.
     */
    stopReply: stoppable && stopOf(stoppable),
  };
}

const cancel = (reply_id: string) => hub.chat.cancel.mutate({ reply_id }).catch(toastFailure);
