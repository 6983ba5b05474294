export type { JoinedRoom, RoomState } from "./join-room.ts";
export { emptyRoom, joinRoom } from "./join-room.ts";
export type { HubClient } from "./links.ts";
export { createHubClient } from "./links.ts";
export { participantKind } from "./room-feed.ts";
