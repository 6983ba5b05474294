/** A room on the package `ws`. Each event is serialized once and sent to all clients. */
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { SYNC } from "./bench-event.ts";
import { serveRoom } from "./serve-room.ts";

const rooms = new Map<string, Set<WebSocket>>();
const wss = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
wss.on("connection", (socket) => {
  socket.on("message", (data) => {
    const { join } = JSON.parse(String(data)) as { join: string };
    const room = rooms.get(join) ?? new Set();
    rooms.set(join, room.add(socket));
    socket.on("close", () => room.delete(socket));
    socket.send(JSON.stringify(SYNC));
  });
});
wss.on("listening", () => {
  serveRoom((wss.address() as AddressInfo).port, (event) => {
    const text = JSON.stringify(event);
    for (const socket of rooms.get("room-0") ?? []) socket.send(text);
  });
});
