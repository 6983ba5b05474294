/**
 * The chat clients, in a process of their own. The process executes one order of the benchmark at a
 * time.
 */
import { Agent, get } from "node:http";
import type { ChatClient } from "../../processes/chat-hub.ts";
import { cpuWatch, executeOrders } from "../../processes/execute-orders.ts";
import { PACED_PROMPT, PROMPT, replyOf, WORDS, wordOf } from "../../provider/counted-words.ts";
import { quantile } from "../../runner/quantile.ts";
import type { BurstOrder, BurstResult, RoomsOrder, RoomsResult } from "./load-protocol.ts";
import { type Post, post } from "./post.ts";

const FIRST_WORD = wordOf(0);
const LAST_WORD = wordOf(WORDS - 1);
const STREAM = { accept: "text/event-stream" };

async function chatInRooms(order: RoomsOrder): Promise<RoomsResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.clients.length });
  const times: number[] = [];
  const firstTokens: number[] = [];
  const faults: string[] = [];
  const cpu = cpuWatch();
  const start = performance.now();
  const end = start + order.seconds * 1_000;
  await Promise.all(
    order.clients.map(async (client, nth) => {
      // The clients' first messages are spread over the interval.
      let next = start + (order.intervalMs * nth) / order.clients.length;
      for (;;) {
        await until(next);
        const sent = performance.now();
        if (sent >= end) return;
        let firstTokenAt = 0;
        const request = postFor(order, client, (chunk) => {
          firstTokenAt ||= chunk.includes(FIRST_WORD) ? performance.now() : 0;
        });
        const reply = await post(agent, request).catch((error: Error) => error);
        if (!(reply instanceof Error) && reply.status === 200 && reply.text.includes(LAST_WORD)) {
          times.push(performance.now() - sent);
          firstTokens.push(firstTokenAt - sent);
        } else {
          faults.push(reply instanceof Error ? reply.message : errorOf(reply.text));
          // After a failed call the client pauses, because calls that fail at once would form a
          // busy loop.
          await pause(10);
        }
        next = Math.max(next + order.intervalMs, performance.now());
      }
    }),
  );
  agent.destroy();
  const seconds = (performance.now() - start) / 1_000;
  return {
    replies: times.length,
    faults,
    repliesPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    firstTokenP50Ms: quantile(firstTokens, 0.5),
    clientCpu: cpu(),
  };
}

function postFor(order: RoomsOrder, client: ChatClient, onChunk: (chunk: string) => void): Post {
  const { port, target, streamed } = order;
  if (target === "hub") return hubPost(port, client, PROMPT, streamed ? STREAM : {}, onChunk);
  const messages = [{ role: "user", content: PROMPT }];
  const body = JSON.stringify({ model: "m", stream: true, messages });
  return { port, path: "/v1/chat/completions", headers: {}, body, onChunk };
}

function hubPost(
  port: number,
  { apiKey, soul_id, session_token }: ChatClient,
  content: string,
  headers: Record<string, string>,
  onChunk: (chunk: string) => void,
): Post {
  return {
    port,
    path: "/api/chat",
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify({ soul_id, session_token, content }),
    onChunk,
  };
}

async function burst({ port, clients, words }: BurstOrder): Promise<BurstResult> {
  const expected = replyOf(words);
  const agent = await openConnections(port, clients.length);
  const gaps: number[] = [];
  const faults: string[] = [];
  const cpu = cpuWatch();
  const start = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      let last = 0;
      const onChunk = () => {
        const now = performance.now();
        if (last > 0) gaps.push(now - last);
        last = now;
      };
      const request = hubPost(port, client, PACED_PROMPT, STREAM, onChunk);
      const reply = await post(agent, request).catch((error: Error) => error);
      const text = reply instanceof Error ? reply.message : reply.text;
      if (!isComplete(text, expected)) faults.push(errorOf(text));
    }),
  );
  agent.destroy();
  return {
    complete: clients.length - faults.length,
    faults,
    seconds: (performance.now() - start) / 1_000,
    gapP50Ms: quantile(gaps, 0.5),
    gapP99Ms: quantile(gaps, 0.99),
    clientCpu: cpu(),
  };
}

const errorOf = (text: string): string => /"error":"(\w+)"/.exec(text)?.[1] ?? text.slice(-80);

/**
 * Opens the connections in advance. Node accepts one new connection per turn of its event loop, which
 * would delay most requests of the burst.
 */
async function openConnections(port: number, count: number): Promise<Agent> {
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  const opened = Array.from(
    { length: count },
    () =>
      new Promise<void>((resolve, reject) => {
        const request = get({ agent, port, path: "/healthz" }, (response) => {
          response.resume().on("end", resolve);
        });
        request.on("error", reject);
      }),
  );
  await Promise.all(opened);
  return agent;
}

/**
 * Returns true if the deltas of a reply join without a gap and equal the text of its `done` event.
 */
function isComplete(text: string, expected: string): boolean {
  let received = "";
  for (const block of text.split("\n\n")) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (!event || !data) continue;
    const { offset, text: piece, reply } = JSON.parse(data);
    if (event === "delta" && offset !== received.length) return false;
    if (event === "delta") received += piece;
    if (event === "done") return received === expected && reply === expected;
  }
  return false;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const until = (time: number) =>
  time > performance.now() ? pause(time - performance.now()) : undefined;

executeOrders((order: RoomsOrder | BurstOrder) =>
  "target" in order ? chatInRooms(order) : burst(order),
);
