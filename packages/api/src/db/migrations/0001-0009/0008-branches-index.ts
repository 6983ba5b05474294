import { ConcurrentIndex } from "../concurrent-index.ts";

/**
 * Finds the messages of a room whose parent is not the message before: the points at which its path
 * leaves the log's order. A room that never branched has none.
 */
export class BranchesIndex extends ConcurrentIndex {
  override name = "0008-branches-index";
  override index = "chat_messages_branches_index";
  override on = "chat_messages (room_id, id, parent_id) where parent_id is not null";
}
