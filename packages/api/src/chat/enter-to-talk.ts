import type { CallContext } from "../context.ts";
import { type EnteredRoom, letIn } from "./room-access.ts";
import { type RoomName, roomKey } from "./room-key.ts";
import type { RememberedRoom } from "./room-memory.queries.ts";

/**
 * Enters a room to talk in it. Its row and its lines come by one statement: whoever hears of the lines
 * was let into the room as it was with them, also where it turned private a moment ago.
 * @throws as enterRoom
 */
export const enterToTalk = (
  ctx: CallContext,
  name: RoomName,
): Promise<EnteredRoom<RememberedRoom>> => letIn(ctx, name, ctx.hub.memories(roomKey(name)));
