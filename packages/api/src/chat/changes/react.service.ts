import type { CallContext } from "../../context.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { issueGuestCookie, participantOf } from "../access/room-participant.ts";
import { applyChange } from "./apply-change.ts";
import type { GivenReaction } from "./changes.schema.ts";

/**
 * Adds a reaction to a stored message or takes it back: PUT /api/reaction (decisions §5, Changing
 * messages). No prompt contains reactions.
 * @throws HubError those of authorizeRoom, `muted`, `message_not_found`, `limit_reached` for a 13th
 *   emoji of one message
 */
export async function react(call: CallContext, { id, emoji, on, ...name }: GivenReaction) {
  // A new guest acts under the id of its cookie, so that it can take its reaction back.
  const ctx = issueGuestCookie(call);
  const { key, record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  const reactor = participantOf(ctx);
  assertMayTalk(record, reactor);
  const revision = await applyChange(ctx, key, {
    run: "react_to_message",
    args: {
      of_id: id,
      reactor: reactor.id,
      reactor_name: reactor.name,
      reaction: emoji,
      is_on: on,
    },
    messageId: id,
    changesRoom: false,
  });
  return { message: on ? "The reaction is added." : "The reaction is taken back.", revision };
}
