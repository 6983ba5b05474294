import { WebSocket } from "ws";
import { roomLimits } from "../../rooms/room-limits.ts";
import { AddressBudgets, CallBudget, callsInBytes } from "./ws-call-budget.ts";
import type { WsConnection } from "./ws-connection.ts";

// Limits of decisions §6, Sockets.
export const MAX_FRAME_BYTES = 64 * 1024;
const FIRST_MESSAGE_MS = 10_000;
const MAX_FRAMES_PER_SECOND = 50;
const CLOSING_MS = 1_000;

/** All sockets share one timer. Three timers per socket would take more memory than a room. */
const TICK_MS = 250;
const TICKS_PER_SECOND = 1_000 / TICK_MS;

/**
 * Call budget of one socket. A client resubscribes with one batch of at most 32 calls, and then
 * makes few calls.
 */
const SOCKET_CALLS = { burst: 128, perTick: 50 / TICKS_PER_SECOND };
/**
 * Call budget of one address, which may have 64 sockets. It is enforced only while RATE_LIMITS is
 * on.
 */
const ADDRESS_CALLS = { burst: 256, perTick: 100 / TICKS_PER_SECOND };

/**
 * Decisions §6: a client that falls silent leaves its rooms within 16 s. It is disconnected after
 * PING_MS + PONG_MS at most, and then has 3 s to reconnect. The last second covers the batching of
 * presence events.
 */
const PING_MS = 8_000;
const PONG_MS = 4_000;
const PING_TICKS = PING_MS / TICK_MS;
const PONG_TICKS = PONG_MS / TICK_MS;

/** Limit of the bytes that a client has not read yet. The hub keeps them in memory. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const BUFFER_CHECK_TICKS = TICKS_PER_SECOND;
/**
 * Number of consecutive checks above MAX_BUFFERED_BYTES before the socket is closed. A shorter
 * burst over a slow connection is allowed.
 */
const MAX_FLOODED_CHECKS = 5;
/**
 * Number of consecutive checks at which a lagging client has read nothing. The socket is then
 * closed.
 */
const MAX_STUCK_CHECKS = 10;

const POLICY_VIOLATION = 1008;

export interface SocketWatch {
  add(socket: WsConnection, block: string): void;
  /** Returns false if the address has spent its calls. The upgrade must then be refused. */
  admits(block: string): boolean;
  /** Counts a frame before it is parsed. At a limit, closes the socket and returns false. */
  admitFrame(socket: WsConnection, bytes: number): boolean;
  stop(): void;
}

/**
 * Watches all sockets. Closes a socket whose client sends nothing or too much, answers no ping, or
 * does not read.
 * @param limitsAddresses true if calls are limited per address, too
 */
export function watchSockets(limitsAddresses: boolean): SocketWatch {
  /**
   * Sockets are spread over slots, and each tick pings one slot. Sockets opened together are thus
   * not pinged together.
   */
  const slots = Array.from({ length: PING_TICKS }, () => new Set<WsConnection>());
  /** Sockets whose client has sent nothing yet, oldest first. */
  const silent = new Set<WsConnection>();
  const clock = { ticks: 0 };
  const addresses = new AddressBudgets(clock, ADDRESS_CALLS);
  let added = 0;
  const slot = (tick: number) => slots.at(tick % PING_TICKS) ?? new Set();

  // The time for a pong is counted in ticks. A stalled process counts no ticks, so it disconnects
  // no client.
  const timer = setInterval(() => {
    clock.ticks++;
    const { ticks } = clock;
    for (const socket of slot(ticks)) ping(socket);
    for (const socket of slot(ticks - PONG_TICKS)) if (!socket.isAlive) socket.terminate();
    const now = performance.now();
    for (const socket of silent) {
      if (now - socket.openedAt < FIRST_MESSAGE_MS) break;
      silent.delete(socket);
      shut(socket, "no message received");
    }
    if (ticks % BUFFER_CHECK_TICKS > 0) return;
    addresses.sweep();
    for (const each of slots) for (const socket of each) if (!reads(socket)) socket.terminate();
  }, TICK_MS);

  /**
   * Counts a frame. If the client has sent too many in this second, closes the socket and returns
   * false.
   */
  function countFrame(socket: WsConnection): boolean {
    if (clock.ticks - socket.frameTick >= TICKS_PER_SECOND) {
      socket.frameTick = clock.ticks;
      socket.recentFrames = 0;
    }
    return ++socket.recentFrames <= MAX_FRAMES_PER_SECOND || shut(socket, "too many frames");
  }

  // All sockets share one listener per event; `this` is the socket. `ws` answers each ping, so
  // pings count as frames. They do not count as calls. Otherwise a ping would close its socket
  // after other sockets have spent the address's budget.
  function onPing(this: WebSocket): void {
    countFrame(this as WsConnection);
  }

  function onPong(this: WebSocket): void {
    (this as WsConnection).isAlive = true;
    countFrame(this as WsConnection);
  }

  return {
    add(socket, block) {
      const own = slot(added++);
      own.add(socket);
      silent.add(socket);
      socket.openedAt = performance.now();
      const budget = new CallBudget(clock, SOCKET_CALLS);
      socket.budgets = limitsAddresses ? [budget, addresses.hold(block)] : [budget];
      socket.spendCalls(1);
      socket.on("ping", onPing).on("pong", onPong);
      // Without a listener, the error of a malformed frame would be uncaught. `ws` closes the
      // socket itself.
      socket.on("error", ignore);
      socket.once("close", () => {
        own.delete(socket);
        silent.delete(socket);
        addresses.release(block);
      });
    },
    admits: (block) => !limitsAddresses || !addresses.isSpent(block),
    admitFrame(socket, bytes) {
      silent.delete(socket);
      if (!countFrame(socket)) return false;
      if (socket.isOverBudget) return shut(socket, "too many calls");
      socket.spendCalls(callsInBytes(bytes));
      return true;
    },
    stop: () => clearInterval(timer),
  };
}

const ignore = () => undefined;

/**
 * Sends a ping frame instead of tRPC's text PING. Every WebSocket client answers ping frames by
 * itself.
 */
function ping(socket: WsConnection): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.isAlive = false;
  socket.ping();
}

/**
 * Returns false if the client does not read its data. Pongs do not show that, since a
 * client may send pongs unasked.
 */
function reads(socket: WsConnection): boolean {
  const { bufferedAmount } = socket;
  // Over a slow connection a ping waits behind all other bytes. A client that reads those bytes is
  // alive.
  if (bufferedAmount < socket.lastBuffered) socket.isAlive = true;
  socket.floodedChecks = bufferedAmount > MAX_BUFFERED_BYTES ? socket.floodedChecks + 1 : 0;
  const isStuck =
    bufferedAmount > roomLimits.LAGGING_BYTES && bufferedAmount >= socket.lastBuffered;
  socket.stuckChecks = isStuck ? socket.stuckChecks + 1 : 0;
  socket.lastBuffered = bufferedAmount;
  return socket.floodedChecks < MAX_FLOODED_CHECKS && socket.stuckChecks < MAX_STUCK_CHECKS;
}

function shut(socket: WsConnection, reason: string): false {
  socket.close(POLICY_VIOLATION, reason);
  // The client may send frames until it closes its side. Such frames are ignored.
  for (const event of ["message", "ping", "pong"]) socket.removeAllListeners(event);
  setTimeout(() => socket.terminate(), CLOSING_MS).unref();
  return false;
}
