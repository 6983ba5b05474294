import type { RoomEvent, RoomMessage } from "@soul-hub/api";
import { applyRoomEvent, emptyFeed, type RoomFeed } from "./room-feed.ts";

export function message(id: number, prev_id: number, more: Partial<RoomMessage> = {}): RoomEvent {
  return { type: "message", ...stored(id, prev_id), ...more };
}

export const stored = (id: number, prev_id: number): RoomMessage => ({
  id,
  prev_id,
  parent_id: prev_id || null,
  role: "user",
  sender_name: "ada",
  content: `m${id}`,
});

/** The messages of an unbranched log. */
export const log = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i, from + i - 1));

export function sync(
  head: number,
  more: Partial<Extract<RoomEvent, { type: "sync" }>> = {},
): RoomEvent {
  const empty = { revision: 0, online_count: 0, participants: [], replies: [] };
  return { type: "sync", recovered: true, head, ...empty, ...more };
}

/** Applies events to a feed. */
export const feedOf = (events: RoomEvent[], from: RoomFeed = emptyFeed) =>
  events.reduce((feed, event) => applyRoomEvent(feed, event, 0), from);
