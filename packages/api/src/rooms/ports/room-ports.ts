import type { RoomBus } from "../bus/room-bus.ts";
import type { ReplyStore } from "../replies/reply-store.ts";
import type { RoomLimits } from "../room-limits.ts";
import type { RoomTimers } from "../room-timers.ts";
import type { PresenceStore } from "./presence-store.ts";
import type { RoomLog } from "./room-log.ts";

/** The interfaces that the live rooms need from outside, so that rooms/ knows no table. */
export interface RoomPorts {
  log: RoomLog;
  bus: RoomBus;
  presence: PresenceStore;
  /** The reply store, present only on a hub of several servers. */
  replies?: ReplyStore | undefined;
  /** This server's name in tracking ids: letters, digits, `_` and `-`. */
  nodeId: string;
  timers: RoomTimers;
  limits: RoomLimits;
  /** Reports a failure of background work. The rooms continue and retry. */
  onError: (error: unknown, doing: string) => void;
}
