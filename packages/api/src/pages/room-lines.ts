import { z } from "zod";
import { roomName } from "../chat/chat.schema.ts";
import { collectNewest } from "../chat/history/collect-messages.ts";
import { pathReader } from "../chat/rows/chat-room.queries.ts";
import { type RoomName, roomKey } from "../chat/rows/room-key.ts";
import type { Hub } from "../context.ts";
import type { RoomMessage } from "../rooms/room-events.ts";

/** The messages in a room's page: they fill a screen, and each page is compressed anew. */
const bounds = { messages: 10, pageSize: 10, readAtMost: 10, chars: 20_000 };

const named = z.object(roomName);

/**
 * Reads the newest messages of a room that everyone may enter, oldest first (0073). Returns undefined
 * for any other room, and if the newest message is longer than the page may be.
 */
export async function readRoomLines(hub: Hub, name: RoomName): Promise<RoomMessage[] | undefined> {
  if (!hub.config.guests || !named.safeParse(name).success) return undefined;
  const key = roomKey(name);
  const room = await hub.chatRooms(key);
  const isOpen = room && !room.is_private && !room.is_closed && room.restriction === null;
  if (!isOpen) return undefined;
  const { messages } = await collectNewest(pathReader(hub.database.db, key), bounds);
  return messages.length > 0 ? messages : undefined;
}
