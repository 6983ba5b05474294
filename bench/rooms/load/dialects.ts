/** How one speaks to each server: enough of it to join a room, and the answer to what it asks. */
export interface Dialect {
  path: string;
  /** Said at once; undefined: the server speaks first. */
  hello?: (room: string, soulId: number) => string;
  /** The answer to what the server says before its sync, or in between. */
  reply?: (said: string, room: string) => string | undefined;
}

const subscribe = (path: string, input: object) =>
  JSON.stringify({ id: 1, jsonrpc: "2.0", method: "subscription", params: { path, input } });

const join = (room: string) => JSON.stringify({ join: room });

/** engine.io's packets are 0 open, 2 ping, 3 pong, 4 message; socket.io's 0 connect, 2 event. */
function replyToSocketIo(said: string, room: string): string | undefined {
  if (said.startsWith("0")) return "40";
  if (said.startsWith("40")) return `420${JSON.stringify(["join", room])}`;
  return said === "2" ? "3" : undefined;
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
