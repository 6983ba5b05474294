import type { WebSocket } from "ws";

// Decisions §6, Sockets.
export const MAX_FRAME_BYTES = 64 * 1024;
const FIRST_MESSAGE_MS = 10_000;
const MAX_FRAMES_PER_SECOND = 50;
const CLOSING_MS = 1_000;
/**
 * A peer that falls silent is cut off after PING_MS + PONG_MS at the latest and counts out after the
 * grace of presence (3 s) and its gathering: together within the 16 s of decisions §6.
 */
const PING_MS = 8_000;
const PONG_MS = 4_000;

/** What waits to be sent to somebody who doesn't read stands in the hub's memory. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
const BACKLOG_CHECK_MS = 1_000;
/** So many checks in a row: a burst over a slow line is no offence. */
const MAX_BACKLOG_CHECKS = 5;

const POLICY_VIOLATION = 1008;

/** Watches one socket: that it speaks, that it doesn't flood, that it is still there and reads. */
export function guardSocket(socket: WebSocket): void {
  const shut = (reason: string) => {
    socket.close(POLICY_VIOLATION, reason);
    // Until the other side has closed too, its frames would still be heard and obeyed.
    socket.removeAllListeners("message");
    setTimeout(() => socket.terminate(), CLOSING_MS).unref();
  };
  const firstMessage = setTimeout(() => shut("nothing was said"), FIRST_MESSAGE_MS);
  let frames = 0;
  let windowStart = 0;
  socket.on("message", () => {
    clearTimeout(firstMessage);
    const now = Date.now();
    if (now - windowStart >= 1_000) {
      windowStart = now;
      frames = 0;
    }
    if (++frames > MAX_FRAMES_PER_SECOND) shut("too many frames");
  });

  // Ping frames rather than tRPC's PING text: every WebSocket client answers them by itself.
  let answerBy: NodeJS.Timeout | undefined;
  const ping = setInterval(() => {
    socket.ping();
    answerBy ??= setTimeout(() => socket.terminate(), PONG_MS);
  }, PING_MS);
  // Pongs don't show that anybody reads: they can be sent unasked.
  let behind = 0;
  const backlog = setInterval(() => {
    behind = socket.bufferedAmount > MAX_BACKLOG_BYTES ? behind + 1 : 0;
    if (behind >= MAX_BACKLOG_CHECKS) socket.terminate();
  }, BACKLOG_CHECK_MS);
  const heard = () => {
    clearTimeout(answerBy);
    answerBy = undefined;
  };
  socket.on("pong", heard);
  socket.on("close", () => {
    clearTimeout(firstMessage);
    clearInterval(ping);
    clearInterval(backlog);
    heard();
  });
  // Without a listener a broken frame would be an uncaught exception; ws closes the socket itself.
  socket.on("error", () => undefined);
}
