import { participantId } from "../accounts/caller.ts";
import type { CallContext, Hub } from "../context.ts";
import { HubError } from "../errors.ts";

/**
 * Stops a reply that is being written, here or on another server: its asker may, and the room's
 * owner (decisions §5). A reply that is done, or somebody else's, is left alone without a word
 * about which it was.
 * @throws HubError `overloaded` when it is not written here and the other servers can't be asked
 */
export async function cancelReply({ hub, caller }: CallContext, replyId: string): Promise<void> {
  const who = participantId(caller);
  if (await cancelHere(hub, replyId, who)) return;
  const isAsked = await hub.rooms.cancelElsewhere(replyId, who);
  if (!isAsked) throw new HubError("overloaded");
}

/** @returns false: this server doesn't write it */
export async function cancelHere(
  { replies, chatRooms }: Pick<Hub, "replies" | "chatRooms">,
  replyId: string,
  participant: string,
): Promise<boolean> {
  const reply = replies.get(replyId);
  if (!reply) return false;
  const mayCancel =
    reply.askerId === participant || (await chatRooms(reply.roomKey))?.owner === participant;
  if (mayCancel) reply.cancel("cancelled");
  return true;
}
