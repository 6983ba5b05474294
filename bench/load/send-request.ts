import { once } from "node:events";
import { type Agent, request } from "node:http";

export interface Request {
  port: number;
  path: string;
  agent?: Agent | false;
  /** The local address to send from. */
  localAddress?: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  /** A JSON text. */
  body?: string;
  /** Called with each chunk of the response. */
  onChunk?: (chunk: string) => void;
}

export interface Response {
  status: number;
  text: string;
  ms: number;
}

/** Sends a request and reads the response to its end. */
export async function sendRequest({ body, onChunk, ...options }: Request): Promise<Response> {
  const start = performance.now();
  const headers = { ...(body ? { "content-type": "application/json" } : {}), ...options.headers };
  const method = body ? "POST" : "GET";
  const call = request({ host: "127.0.0.1", method, ...options, headers }).end(body);
  const [response] = await once(call, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    onChunk?.(chunk);
  }
  return { status: response.statusCode, text, ms: performance.now() - start };
}
