/**
 * A socket.io room as in its documentation. Clients connect by WebSocket, without initial polling.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { SYNC } from "./bench-event.ts";
import { serveRoom } from "./serve-room.ts";

const server = createServer();
const io = new Server(server, { transports: ["websocket"], serveClient: false });
io.on("connection", (socket) => {
  socket.on("join", async (room: string, answer: (sync: typeof SYNC) => void) => {
    await socket.join(room);
    answer(SYNC);
  });
});
server.listen(0, "127.0.0.1", () => {
  serveRoom((server.address() as AddressInfo).port, (event) => {
    io.to("room-0").emit("event", event);
  });
});
