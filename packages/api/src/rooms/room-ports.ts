import type { PresenceStore } from "./presence-store.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { RoomBus } from "./room-bus.ts";
import type { RoomLimits } from "./room-limits.ts";
import type { RoomLog } from "./room-log.ts";
import type { RoomTimers } from "./room-timers.ts";

/** What the live rooms need from the rest of the hub. */
export interface RoomPorts {
  log: RoomLog;
  bus: RoomBus;
  presence: PresenceStore;
  /** Only where other servers write replies, too. */
  replies?: ReplyStore | undefined;
  /** Names this server in tracking ids: letters, digits, `_` and `-`. */
  nodeId: string;
  timers: RoomTimers;
  limits: RoomLimits;
  /** Something failed that nobody waits for. The rooms go on and repair what they can. */
  onError: (error: unknown, doing: string) => void;
}
