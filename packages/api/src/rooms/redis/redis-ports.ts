import { roomLimits } from "../room-limits.ts";
import type { RoomPorts } from "../room-ports.ts";
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

/** What rooms over several servers need, from one connection to Redis. */
export function redisPorts({ link, prefix, nodeId, timers, onError }: PortsOptions) {
  const { LEASE_MS: leaseMs, RENEW_MS: renewMs } = roomLimits;
  // In this order: when Redis is back it is told of this server's people and replies before
  // anybody looks who is there.
  const presence = redisPresenceStore({ link, prefix, now: timers.now, settleMs: renewMs });
  const replies = redisReplyStore({ link, prefix, timers, leaseMs, renewMs });
  return { presence, replies, bus: redisRoomBus({ link, prefix, nodeId, onError }) };
}
