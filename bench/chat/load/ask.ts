import { type Agent, request } from "node:http";

export interface Question {
  port: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Gets each part of the answer as it comes. */
  onPart?: (part: string) => void;
}

export interface Reply {
  status: number;
  text: string;
}

/** One POST, its answer read to the end. */
export function ask(agent: Agent, { port, path, headers, body, onPart }: Question): Promise<Reply> {
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
        response.on("data", (part: string) => {
          text += part;
          onPart?.(part);
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}
