import { once } from "node:events";
import { connect } from "node:net";

/** One HTTP request and its expected response. */
export interface Question {
  path: string;
  /** Expected length of the response body. Without it, any length is right. */
  answerBytes?: number;
  /** The method, API key and body of a write. Without it, the request is a GET. */
  write?: { method: "POST" | "PUT"; apiKey: string; body: string };
}

const READ_BYTES = 256 * 1024;
const ANSWER_MS = 5_000;

export const encode = ({ path, write }: Question): Buffer => {
  const { method = "GET", apiKey = "", body = "" } = write ?? {};
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Accept: application/json",
    "User-Agent: soul-hub-bench",
  ];
  if (write) {
    lines.push(
      `Authorization: Bearer ${apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    );
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
};

export interface Connection {
  /**
   * Resolves to true if the response has status 200 and the expected length. Calls must not
   * overlap.
   */
  ask(request: Buffer, answerBytes?: number): Promise<boolean>;
  close(): void;
}

/**
 * Opens a minimal HTTP/1.1 client: keep-alive, one request at a time, responses with
 * Content-Length. A complete client would need more CPU time than a fast server.
 */
export async function openConnection(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let expected: number | undefined;
  let settle: ((isRight: boolean) => void) | undefined;
  let isRight = false;
  /** Bytes of the response body still missing. Negative until the head is complete. */
  let missing = -1;
  let head = "";

  const finish = (right: boolean) => {
    const done = settle;
    settle = undefined;
    done?.(right);
  };
  const read = (bytes: number): boolean => {
    if (missing < 0) {
      head += buffer.toString("latin1", 0, bytes);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return true;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      isRight = head.startsWith("HTTP/1.1 200 ") && length === (expected ?? length);
      missing = length - (head.length - end - 4);
      head = "";
    } else {
      missing -= bytes;
    }
    if (missing > 0) return true;
    // `missing` is NaN if the response has no Content-Length. Its end is then unknown.
    if (missing !== 0) socket.destroy();
    finish(isRight && missing === 0);
    return true;
  };
  const onread = { buffer, callback: read };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
  await once(socket, "connect");
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("close", () => finish(false));
  return {
    ask: (request, answerBytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(false);
        expected = answerBytes;
        missing = -1;
        settle = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
