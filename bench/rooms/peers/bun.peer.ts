/**
 * A room on Bun's `publish`, which is based on uWebSockets. This file is run by Bun instead of
 * Node.
 */
import { SYNC } from "./bench-event.ts";
import { serveRoom } from "./serve-room.ts";

interface BunSocket {
  subscribe(topic: string): void;
  send(text: string): void;
}

interface BunServer {
  port: number;
  upgrade(request: Request): boolean;
  publish(topic: string, text: string): void;
}

declare const Bun: {
  serve(options: {
    port: number;
    hostname: string;
    fetch(request: Request, server: BunServer): Response | undefined;
    websocket: { message(socket: BunSocket, text: string): void };
  }): BunServer;
};

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request, own) => (own.upgrade(request) ? undefined : new Response(null, { status: 400 })),
  websocket: {
    message(socket, text) {
      socket.subscribe((JSON.parse(text) as { join: string }).join);
      socket.send(JSON.stringify(SYNC));
    },
  },
});
serveRoom(server.port, (event) => {
  server.publish("room-0", JSON.stringify(event));
});
