import { HubError } from "../../errors.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import type { RoomRecord } from "../history/chat-room.queries.ts";

/**
 * Checks whether the room's setting `talk` lets a participant talk, that is, send, type and react
 * (decisions §5, Rooms).
 * @param record the room's row; undefined for a room without messages, in which everyone may talk
 * @throws HubError `muted`
 */
export function assertMayTalk(
  record: Pick<RoomRecord, "owner" | "talk"> | undefined,
  { id, kind }: Participant,
): void {
  if (!record || record.talk === "anyone" || record.owner === id) return;
  if (record.talk === "members" && kind === "member") return;
  throw new HubError("muted");
}
