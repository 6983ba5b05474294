import type { CallContext } from "../../context.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { issueGuestCookie, participantOf } from "../access/room-participant.ts";
import { readMessage } from "../content/read-message.ts";
import type { RoomName } from "../rows/room-key.ts";
import { countLine, storeLine } from "../storing/store-line.ts";
import { roomStateOf } from "../storing/store-messages.ts";

interface SaidLine extends RoomName {
  content: string;
  /** True for the people of the room alone: no soul ever reads the message. */
  off_record: boolean;
}

/**
 * Stores a message to which no soul replies: POST /api/say (0041). No model is called, and no unit is
 * spent.
 * @returns the id of the message
 * @throws HubError `invalid_input`, `input_too_long`, those of authorizeRoom, `muted`, and
 *   `rate_limited` for the 21st message of a participant in a minute
 */
export async function say(
  call: CallContext,
  { content, off_record, ...name }: SaidLine,
): Promise<number> {
  readMessage({ content }, quotaAccount(call).limits.max_input_chars);
  // A new guest acts under the id of its cookie, so that its next call owns the same rooms.
  const ctx = issueGuestCookie(call);
  const { record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  const sender = participantOf(ctx);
  assertMayTalk(record, sender);
  await countLine(call);
  const { id } = await storeLine(ctx, name, {
    sender,
    content,
    audience: off_record ? "people" : "room",
    under: null,
    roomState: roomStateOf(record),
    room: record,
  });
  return id;
}
