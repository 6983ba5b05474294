export type {
  JoinedRoom,
  JoinRoomOptions,
  LiveRoomsClient,
  RoomError,
  RoomState,
} from "./join-room.ts";
export { joinRoom } from "./join-room.ts";
export type { HubClient, HubClientOptions } from "./links.ts";
export { createHubClient } from "./links.ts";
export type { RoomFeed, StreamingReply } from "./room-feed.ts";
export { applyRoomEvent, emptyFeed } from "./room-feed.ts";
