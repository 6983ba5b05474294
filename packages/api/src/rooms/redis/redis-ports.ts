import type { RoomPorts } from "../ports/room-ports.ts";
import { roomLimits } from "../room-limits.ts";
import type { RoomTimers } from "../room-timers.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisPresenceStore } from "./redis-presence-store.ts";
import { redisReplyStore } from "./redis-reply-store.ts";
import { redisRoomBus } from "./redis-room-bus.ts";

interface PortsOptions {
  link: RedisLink;
  prefix: string;
  nodeId: string;
  timers: RoomTimers;
  onError: RoomPorts["onError"];
}

/** Creates the stores and the bus of a hub with several servers, over one Redis connection. */
export function redisPorts({ link, prefix, nodeId, timers, onError }: PortsOptions) {
  const { LEASE_MS: leaseMs, RENEW_MS: renewMs } = roomLimits;
  // The stores come first, so their reconnect listeners run first. They store leases and replies
  // again before the rooms read them.
  const presence = redisPresenceStore({ link, prefix, now: timers.now, settleMs: renewMs });
  const replies = redisReplyStore({ link, prefix, timers, leaseMs, renewMs });
  return { presence, replies, bus: redisRoomBus({ link, prefix, nodeId, onError }) };
}
