/** A socket.io room, as its docs show it, without the polling that it would begin with. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { obeyOrders } from "./obey-orders.ts";
import { SYNC } from "./peer-protocol.ts";

const server = createServer();
const io = new Server(server, { transports: ["websocket"], serveClient: false });
io.on("connection", (socket) => {
  socket.on("join", async (room: string, answer: (sync: typeof SYNC) => void) => {
    await socket.join(room);
    answer(SYNC);
  });
});
server.listen(0, "127.0.0.1", () => {
  obeyOrders({ port: (server.address() as AddressInfo).port }, (event) => {
    io.to("room-0").emit("event", event);
  });
});
