import { ConcurrentIndex } from "../concurrent-index.ts";

/**
 * Finds the messages of a room that may mention somebody, among many unread ones, newest first
 * (0042).
 */
export class AddressedMessagesIndex extends ConcurrentIndex {
  override name = "0011-addressed-messages-index";
  override index = "chat_messages_addressed_index";
  override on = "chat_messages (room_id, (-id)) where strpos(content, '@') > 0";
}
