import { HubError } from "../../errors.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";

/**
 * Checks whether a participant may talk in a room, that is, send, type, react and edit: the owner
 * has not muted it, and the room's setting `talk` admits it (decisions §5, Rooms).
 * @param record the room's row; undefined for a room without messages, in which everyone may talk
 * @throws HubError `muted`
 */
export function assertMayTalk(
  record: Pick<RoomRecord, "owner" | "talk" | "restriction"> | undefined,
  { id, kind }: Participant,
): void {
  if (!record || record.owner === id) return;
  if (record.restriction === "muted") throw new HubError("muted");
  if (record.talk === "anyone") return;
  if (record.talk === "members" && kind === "member") return;
  throw new HubError("muted");
}
