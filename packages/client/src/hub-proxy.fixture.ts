import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** `refused`: the proxy responds with 403. `silent`: the proxy never responds. */
export type Passage = "open" | "refused" | "silent";

export interface HubProxy extends AsyncDisposable {
  url: string;
  /** Sets which requests pass from now on. Closes all open connections. */
  set(passages: { sockets: Passage; streams: Passage; calls?: Passage }): void;
  /** Lets all new requests pass. Open connections that are silent stay silent. */
  heal(): void;
  /** All requests that the proxy has forwarded, in order. */
  readonly seen: { url: string; authorization: string | undefined; accept: string | undefined }[];
}

/** Starts a proxy in front of a hub. The proxy can block sockets, SSE streams and calls. */
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
  const track = (socket: Duplex) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((incoming, response) => {
    const isStream = incoming.headers.accept?.includes("text/event-stream") ?? false;
    const passage = isStream ? passages.streams : passages.calls;
    if (passage === "refused") return void response.writeHead(403).end("Blocked.");
    if (passage === "silent") return;
    const outgoing = forward(incoming);
    outgoing.on("response", (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
      upstream.on("error", () => response.destroy());
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connection", track);
  server.on("upgrade", (incoming, socket: Duplex, head) => {
    track(socket);
    if (passages.sockets === "refused") return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    if (passages.sockets === "silent") return;
    const outgoing = forward(incoming);
    outgoing.on("error", () => socket.destroy());
    outgoing.on("upgrade", (response, upstream: Socket) => {
      track(upstream);
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      socket.write(head);
      upstream.pipe(socket).pipe(upstream);
      upstream.on("close", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
    });
    outgoing.end();
  });
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    set(given) {
      passages = { calls: "open", ...given };
      closeAll();
    },
    heal() {
      passages = { sockets: "open", streams: "open", calls: "open" };
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      await new Promise((closed) => server.close(closed));
    },
  };
}
