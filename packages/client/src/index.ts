export type { JoinedRoom, RoomState } from "./join-room.ts";
export { emptyRoom, joinRoom } from "./join-room.ts";
export type { HubClient } from "./links.ts";
export { createHubClient } from "./links.ts";
export {
  applyRoomEvent,
  emptyFeed,
  lacksChanges,
  participantKind,
  restartFeed,
} from "./room-feed.ts";
