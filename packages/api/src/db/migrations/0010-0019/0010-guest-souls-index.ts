import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the rooms with a guest soul, which leaves them when it is withdrawn (0041). */
export class GuestSoulsIndex extends ConcurrentIndex {
  override name = "0010-guest-souls-index";
  override index = "chat_rooms_guest_souls_index";
  override on = "chat_rooms using gin (souls jsonb_path_ops) where souls is not null";
}
