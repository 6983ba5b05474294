import { type Agent, request } from "node:http";

export interface Post {
  port: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Called with each chunk of the response body. */
  onChunk?: (chunk: string) => void;
}

export interface PostResult {
  status: number;
  text: string;
}

/** Sends a POST and reads the response to its end. */
export function post(
  agent: Agent,
  { port, path, headers, body, onChunk }: Post,
): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        port,
        path,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          onChunk?.(chunk);
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}
