import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the deleted souls whose last room may be gone (0076). */
export class DeletedSoulsIndex extends ConcurrentIndex {
  override name = "0029-deleted-souls-index";
  override index = "souls_deleted_index";
  override on = "souls (id) where deleted_at is not null";
}
