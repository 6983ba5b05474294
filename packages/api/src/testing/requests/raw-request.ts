import { connect } from "node:net";

/**
 * Sends an HTTP request as raw lines. Returns everything received until the server closes the
 * connection.
 */
export function rawRequest({ url }: { url: string }, lines: string[], body = ""): Promise<string> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`),
    );
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("close", () => resolve(text)).on("error", reject);
  });
}
