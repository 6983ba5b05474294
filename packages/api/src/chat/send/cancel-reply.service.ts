import { participantId } from "../../caller/caller.ts";
import type { CallContext, Hub } from "../../context.ts";
import { HubError } from "../../errors.ts";

/**
 * Cancels a reply in progress, on this server or another one. Only its requester and the room's
 * owner may cancel it (decisions §5, Provider). Nothing happens for any other caller or for an
 * unknown id, and the response does not tell these cases apart.
 * @throws HubError `overloaded` if this server does not write the reply and the bus is down
 */
export async function cancelReply({ hub, caller }: CallContext, replyId: string) {
  const participant = participantId(caller);
  const isHandled =
    (await cancelHere(hub, replyId, participant)) ||
    (await hub.rooms.cancelElsewhere(replyId, participant));
  if (!isHandled) throw new HubError("overloaded");
  return { message: "If the reply was in progress, it is cancelled." };
}

/** Cancels a reply of this server. Returns false if this server does not write it. */
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
