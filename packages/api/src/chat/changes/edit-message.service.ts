import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { participantOf } from "../access/room-participant.ts";
import { readMessage } from "../content/read-message.ts";
import { applyChange } from "./apply-change.ts";
import type { MessageEdit } from "./changes.schema.ts";

/**
 * Replaces the text of a stored message: PUT /api/message (decisions §5, Changing messages). The
 * former text is not kept, and no model is called.
 * @throws HubError `unauthenticated` for a guest, `input_too_long`, those of authorizeRoom,
 *   `muted`, `message_not_found`, `not_owner`, `room_changed` if the text is no longer `expected`
 */
export async function editMessage(
  ctx: CallContext,
  { id, content, expected, ...name }: MessageEdit,
) {
  if (!("account" in ctx.caller)) throw new HubError("unauthenticated");
  readMessage({ content }, quotaAccount(ctx).limits.max_input_chars);
  const { key, record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  const editor = participantOf(ctx);
  assertMayTalk(record, editor);
  const revision = await applyChange(ctx, key, {
    run: "edit_message",
    args: {
      of_id: id,
      editor: editor.id,
      editor_name: editor.name,
      new_content: content,
      expected,
    },
    messageId: id,
    changesRoom: true,
  });
  return { message: "The message is edited.", revision };
}
