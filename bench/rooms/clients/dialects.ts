/** The wire protocol of a server: the frames that join a room and keep the connection open. */
export interface Dialect {
  path: string;
  /** The first frame, which the client sends at once; undefined if the server sends first. */
  hello?: (room: string, soulId: number) => string;
  /**
   * Returns the client's response to a frame of the handshake or a ping; undefined if none is due.
   */
  reply?: (frame: string, room: string) => string | undefined;
}

const subscribe = (path: string, input: object) =>
  JSON.stringify({ id: 1, jsonrpc: "2.0", method: "subscription", params: { path, input } });

const join = (room: string) => JSON.stringify({ join: room });

/**
 * Answers the handshake and the pings of socket.io. The first digit of a frame is the engine.io
 * packet: 0 open, 2 ping, 3 pong, 4 message. After a 4, the socket.io packet follows: 0 connect, 2
 * event.
 */
function replyToSocketIo(frame: string, room: string): string | undefined {
  if (frame.startsWith("0")) return "40";
  if (frame.startsWith("40")) return `420${JSON.stringify(["join", room])}`;
  return frame === "2" ? "3" : undefined;
}

export const dialects = {
  hub: {
    path: "/trpc",
    hello: (room, soulId) => subscribe("rooms.live", { soul_id: soulId, session_token: room }),
  },
  plain: { path: "/", hello: join },
  socketIo: { path: "/socket.io/?EIO=4&transport=websocket", reply: replyToSocketIo },
  trpc: { path: "/", hello: (room) => subscribe("live", { room }) },
} satisfies Record<string, Dialect>;
