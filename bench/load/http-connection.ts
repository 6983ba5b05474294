import { connect, type Socket } from "node:net";
import type { Question } from "./load-protocol.ts";

const READ_BYTES = 256 * 1024;
const ANSWER_MS = 5_000;

export interface Connection {
  /**
   * Resolves to true if the response has status 200 and the expected length. Calls must not
   * overlap.
   */
  ask(question: PreparedQuestion): Promise<boolean>;
  close(): void;
}

export interface PreparedQuestion {
  request: Buffer;
  answerBytes: number | null;
}

export function prepare({ path, answerBytes, write }: Question): PreparedQuestion {
  const { method = "GET", apiKey = "", body = "" } = write ?? {};
  const more = write
    ? `Authorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    : "";
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nUser-Agent: soul-hub-bench\r\n${more}\r\n`;
  return { request: Buffer.from(head + body), answerBytes };
}

/**
 * Opens a minimal HTTP/1.1 client: keep-alive, one request at a time, responses with
 * Content-Length. A complete client would need more CPU time than a fast server.
 */
export function openConnection(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let expected: number | null = 0;
  let settle: ((isRight: boolean) => void) | null = null;
  let isRight = false;
  /** Bytes of the response body still missing. Negative until the head is complete. */
  let missing = -1;
  let head = "";
  let isClosed = false;

  const finish = (right: boolean) => {
    const done = settle;
    settle = null;
    done?.(right);
  };
  const read = (bytes: number): boolean => {
    if (missing < 0) {
      const text = buffer.toString("latin1", 0, bytes);
      const end = (head + text).indexOf("\r\n\r\n");
      if (end < 0) {
        head += text;
        return true;
      }
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head + text)?.[1] ?? Number.NaN);
      isRight = (head + text).startsWith("HTTP/1.1 200 ") && length === (expected ?? length);
      missing = length - (head.length + bytes - end - 4);
      head = "";
    } else {
      missing -= bytes;
    }
    // `missing` is NaN if the response has no Content-Length. The end of the response is then
    // unknown.
    if (missing > 0) return true;
    if (missing < 0 || Number.isNaN(missing)) socket.destroy();
    finish(isRight && missing === 0);
    return true;
  };

  const socket: Socket = connect({
    port,
    host: "127.0.0.1",
    noDelay: true,
    onread: { buffer, callback: read },
  });
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  let cause: Error | undefined;
  socket.on("error", (error) => {
    cause = error;
  });
  socket.on("close", () => {
    isClosed = true;
    finish(false);
  });

  const connection: Connection = {
    ask: ({ request, answerBytes }) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false);
        expected = answerBytes;
        missing = -1;
        settle = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(connection));
    socket.once("close", () => reject(new Error(`No connection to port ${port}`, { cause })));
  });
}
