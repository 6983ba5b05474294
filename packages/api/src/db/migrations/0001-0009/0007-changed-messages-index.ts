import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds a room's messages that changed after a revision. Unchanged messages are not in the index. */
export class ChangedMessagesIndex extends ConcurrentIndex {
  override name = "0007-changed-messages-index";
  override index = "chat_messages_revision_index";
  override on = "chat_messages (room_id, revision) where revision > 0";
}
