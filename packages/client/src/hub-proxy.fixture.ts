import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** `refused`: answered with a no. `silent`: taken, and never answered. */
export type Passage = "open" | "refused" | "silent";

export interface HubProxy extends AsyncDisposable {
  url: string;
  /** What a network between client and hub lets through from now on; what is open breaks off. */
  set(passages: { sockets: Passage; streams: Passage; calls?: Passage }): void;
  /** Lets everything through again; what hangs goes on hanging. */
  heal(): void;
  /** Everything that was asked for, as it came. */
  readonly seen: { url: string; authorization: string | undefined; accept: string | undefined }[];
}

/** A network in front of a hub that lets through what the test wants. */
export async function startHubProxy(hubUrl: string): Promise<HubProxy> {
  const { hostname, port } = new URL(hubUrl);
  const seen: HubProxy["seen"] = [];
  const open = new Set<Duplex>();
  let passages: Record<"sockets" | "streams" | "calls", Passage> = {
    sockets: "open",
    streams: "open",
    calls: "open",
  };
  const forward = ({ method = "GET", url = "/", headers }: IncomingMessage) => {
    const { authorization, accept } = headers;
    seen.push({ url, authorization, accept });
    return request({ hostname, port, method, path: url, headers });
  };
  const keep = (socket: Duplex) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((incoming, answer) => {
    const isStream = incoming.headers.accept?.includes("text/event-stream") ?? false;
    const passage = isStream ? passages.streams : passages.calls;
    if (passage === "refused") return void answer.writeHead(403).end("Blocked.");
    if (passage === "silent") return;
    const outgoing = forward(incoming);
    outgoing.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      response.on("error", () => answer.destroy());
    });
    outgoing.on("error", () => answer.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connection", keep);
  server.on("upgrade", (incoming, socket: Duplex, head) => {
    keep(socket);
    if (passages.sockets === "refused") return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    if (passages.sockets === "silent") return;
    const outgoing = forward(incoming);
    outgoing.on("error", () => socket.destroy());
    outgoing.on("upgrade", (response, hubs: Socket) => {
      keep(hubs);
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      socket.write(head);
      hubs.pipe(socket).pipe(hubs);
      hubs.on("close", () => socket.destroy());
      socket.on("close", () => hubs.destroy());
    });
    outgoing.end();
  });
  const breakOff = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    set(given) {
      passages = { calls: "open", ...given };
      breakOff();
    },
    heal() {
      passages = { sockets: "open", streams: "open", calls: "open" };
    },
    async [Symbol.asyncDispose]() {
      breakOff();
      await new Promise((closed) => server.close(closed));
    },
  };
}
