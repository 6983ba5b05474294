import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { HubError } from "@soul-hub/api";

/**
 * Answers on the hub's port while the database is opened and migrated, which may take minutes:
 * `/healthz` that the process is alive, everything else with 503 (decisions §7).
 * @returns a function that closes the port again, for the hub itself
 */
export async function answerWhileStarting(
  { port, host }: { port: number; host: string },
  version: string,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path === "/healthz") return send(response, 200, { status: "ok", version });
    if (path === "/readyz") {
      return send(response, 503, { status: "unavailable", database: "migrating" });
    }
    const message = "The server is starting. Try again in a moment.";
    send(response, 503, new HubError("overloaded", { message }).toBody(randomUUID()));
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    connection: "close",
    ...(status === 503 && { "retry-after": "5" }),
  });
  response.end(JSON.stringify(body));
}
