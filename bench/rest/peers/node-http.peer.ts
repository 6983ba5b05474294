/** The reference server: node:http and pg with prepared queries, and nothing else. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listSouls, readSoul } from "./soul-sql.ts";
import { changeSoul, toggleLike } from "./soul-write-sql.ts";

async function change(request: IncomingMessage, response: ServerResponse, id: number) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { authorization } = request.headers;
  const { status, body } = await (request.method === "PUT"
    ? changeSoul(authorization, id, JSON.parse(text))
    : toggleLike(authorization, JSON.parse(text)));
  respond(response, status, body);
}

function respond(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    })
    .end(text);
}

const notFound = { success: false, error: "soul_not_found" };

createServer(async (request, response) => {
  try {
    const url = request.url ?? "";
    const id = /^\/api\/soul\/(\d+)$/.exec(url)?.[1];
    if (request.method !== "GET") return await change(request, response, Number(id));
    if (id) {
      const soul = await readSoul(Number(id));
      return respond(response, soul ? 200 : 404, soul ?? notFound);
    }
    if (!url.startsWith("/api/souls?")) return respond(response, 404, notFound);
    const query = new URLSearchParams(url.slice(url.indexOf("?")));
    const list = await listSouls(Number(query.get("limit") ?? 20), Number(query.get("offset")));
    respond(response, 200, list);
  } catch (error) {
    console.error(error);
    respond(response, 500, { success: false });
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
