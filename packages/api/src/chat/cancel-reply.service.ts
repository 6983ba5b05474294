import { participantId } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";

/**
 * Stops a reply that is being written: its asker may, and the room's owner (decisions §5).
 * A reply that is done, or somebody else's, is left alone without a word about which it was.
 */
export async function cancelReply({ hub, caller }: CallContext, replyId: string): Promise<void> {
  const reply = hub.replies.get(replyId);
  if (!reply) return;
  const who = participantId(caller);
  const mayCancel = reply.askerId === who || (await hub.chatRooms(reply.roomKey))?.owner === who;
  if (mayCancel) reply.cancel("cancelled");
}
