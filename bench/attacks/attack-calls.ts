import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../runner/stage.ts";

/** The local addresses of the attacker and of the member. */
const ATTACKER = "127.0.0.1";
export const MEMBER = "127.0.0.2";

export interface Called {
  status: number;
  text: string;
  ms: number;
}

/** Sends one HTTP request from a local address. The status is 0 if the connection fails. */
export function call(
  url: URL,
  from: string,
  { key = "", body }: { key?: string; body?: string } = {},
): Promise<Called> {
  const start = performance.now();
  return new Promise((resolve) => {
    const headers = {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body ? { "content-type": "application/json" } : {}),
    };
    const method = body ? "POST" : "GET";
    const end = (status: number, text = "") =>
      resolve({ status, text, ms: performance.now() - start });
    const asked = request(url, { method, headers, localAddress: from, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (data: string) => {
        text += data;
      });
      answer.on("close", () => end(answer.statusCode ?? 0, text));
    });
    asked.on("error", () => end(0)).end(body);
  });
}

/** Runs until it is over. Returns the number of calls. */
export type Attack = (url: URL, isOver: () => boolean, stage: Stage) => Promise<number>;

/** Posts JSON bodies of three million values without a pause. */
export const wideBodies: Attack = async (url, isOver, stage) => {
  const body = `[${"1,".repeat(stage.size(3 * 1024 * 1024 - 2, 1_024))}1]`;
  let calls = 0;
  const lane = async () => {
    for (; !isOver(); calls++) {
      const { status } = await call(new URL("/trpc/accounts.login", url), ATTACKER, { body });
      // The attacker waits after a refusal. Without the pause, the benchmark would measure the
      // attacker's own busy loop.
      if (status !== 200) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: stage.size(12, 1) }, lane));
  return calls;
};

/**
 * Opens connections and withholds the last byte of each request body, so that the server waits for
 * it.
 */
export const halfSentBodies: Attack = async (url, isOver, stage) => {
  const bytes = stage.size(6 * 1024 * 1024, 1_024);
  const sockets: Socket[] = [];
  const head = [
    "POST /trpc/chat.send HTTP/1.1",
    `Host: ${url.host}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}`,
    "\r\n",
  ].join("\r\n");
  const body = Buffer.alloc(bytes - 1, "[");
  while (!isOver()) {
    if (sockets.length < stage.size(900, 4)) {
      const target = { port: Number(url.port), host: url.hostname, localAddress: ATTACKER };
      const socket = connect(target, () => {
        socket.write(head);
        socket.write(body);
      });
      socket.on("error", () => {}).resume();
      sockets.push(socket);
    }
    await sleep(5);
  }
  for (const socket of sockets) socket.destroy();
  return sockets.length;
};
