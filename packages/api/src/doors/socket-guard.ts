import { WebSocket } from "ws";
import { roomLimits } from "../rooms/room-limits.ts";
import type { HubSocket } from "./hub-socket.ts";

// Decisions §6, Sockets.
export const MAX_FRAME_BYTES = 64 * 1024;
const FIRST_MESSAGE_MS = 10_000;
const MAX_FRAMES_PER_SECOND = 50;
const CLOSING_MS = 1_000;

/** One timer for all sockets: three of its own for each would take more memory than its room. */
const TICK_MS = 250;
/**
 * A peer that falls silent is cut off after PING_MS + PONG_MS at the latest and counts out after the
 * grace of presence (3 s) and its gathering: together within the 16 s of decisions §6.
 */
const PING_MS = 8_000;
const PONG_MS = 4_000;
const PING_TICKS = PING_MS / TICK_MS;
const PONG_TICKS = PONG_MS / TICK_MS;

/** What waits to be sent to somebody who doesn't read stands in the hub's memory. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const UNSENT_CHECK_TICKS = 1_000 / TICK_MS;
/** So many checks in a row over MAX_UNSENT_BYTES: a burst over a slow line is no offence. */
const MAX_FLOODED_CHECKS = 5;
/** So many checks in a row in which a reader who is behind has read nothing. */
const MAX_STUCK_CHECKS = 10;

const POLICY_VIOLATION = 1008;

export interface SocketWatch {
  add(socket: HubSocket): void;
  stop(): void;
}

/** Watches all sockets: that they speak, don't flood, are still there and read. */
export function watchSockets(): SocketWatch {
  /** Each tick pings one slot, so that a crowd that came at once is not pinged at once. */
  const slots = Array.from({ length: PING_TICKS }, () => new Set<HubSocket>());
  /** In the order in which they came. */
  const silent = new Set<HubSocket>();
  let ticks = 0;
  let added = 0;
  const slot = (tick: number) => slots.at(tick % PING_TICKS) ?? new Set();

  // Ticks are counted, not time: whoever stalls this process for a while cuts nobody off.
  const timer = setInterval(() => {
    ticks++;
    for (const socket of slot(ticks)) ping(socket);
    for (const socket of slot(ticks - PONG_TICKS)) if (!socket.isHeard) socket.terminate();
    const now = performance.now();
    for (const socket of silent) {
      if (now - socket.openedAt < FIRST_MESSAGE_MS) break;
      silent.delete(socket);
      shut(socket, "nothing was said");
    }
    if (ticks % UNSENT_CHECK_TICKS > 0) return;
    for (const each of slots) for (const socket of each) if (!reads(socket)) socket.terminate();
  }, TICK_MS);

  // One listener for all sockets, not one each: `this` is the socket.
  function onMessage(this: WebSocket): void {
    const socket = this as HubSocket;
    silent.delete(socket);
    const now = performance.now();
    if (now - socket.secondAt >= 1_000) {
      socket.secondAt = now;
      socket.framesInSecond = 0;
    }
    if (++socket.framesInSecond > MAX_FRAMES_PER_SECOND) shut(socket, "too many frames");
  }
  function onPong(this: WebSocket): void {
    (this as HubSocket).isHeard = true;
  }

  return {
    add(socket) {
      const own = slot(added++);
      own.add(socket);
      silent.add(socket);
      socket.openedAt = performance.now();
      socket.on("message", onMessage);
      socket.on("pong", onPong);
      // Without a listener a broken frame would be an uncaught exception; ws closes the socket itself.
      socket.on("error", ignore);
      socket.once("close", () => {
        own.delete(socket);
        silent.delete(socket);
      });
    },
    stop: () => clearInterval(timer),
  };
}

const ignore = () => undefined;

/** Ping frames rather than tRPC's PING text: every WebSocket client answers them by itself. */
function ping(socket: HubSocket): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.isHeard = false;
  socket.ping();
}

/** Pongs don't show that anybody reads: they can be sent unasked. */
function reads(socket: HubSocket): boolean {
  const { unsent } = socket;
  // Over a slow line a ping waits behind all the rest; whoever reads that is there.
  if (unsent < socket.lastUnsent) socket.isHeard = true;
  socket.floodedChecks = unsent > MAX_UNSENT_BYTES ? socket.floodedChecks + 1 : 0;
  const isStuck = unsent > roomLimits.UNSENT_BYTES && unsent >= socket.lastUnsent;
  socket.stuckChecks = isStuck ? socket.stuckChecks + 1 : 0;
  socket.lastUnsent = unsent;
  return socket.floodedChecks < MAX_FLOODED_CHECKS && socket.stuckChecks < MAX_STUCK_CHECKS;
}

function shut(socket: HubSocket, reason: string): void {
  socket.close(POLICY_VIOLATION, reason);
  // Until the other side has closed too, its frames would still be heard and obeyed.
  socket.removeAllListeners("message");
  setTimeout(() => socket.terminate(), CLOSING_MS).unref();
}
