/** The chat clients, in a process of their own. */
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Request, sendRequest } from "../load/send-request.ts";
import { answerCalls } from "../processes/answer-calls.ts";
import type { ChatClient } from "../processes/chat-hub.ts";
import { isWhole, questionFor, SHORT_REPLY } from "../provider/words.ts";
import { quantile } from "../runner/quantile.ts";

export interface RoomsOrder {
  /** With `provider` the clients send the same prompts to the model provider directly. */
  target: "hub" | "provider";
  port: number;
  clients: ChatClient[];
  seconds: number;
  /** Time between two messages of a room. With 0 the next message follows the reply at once. */
  intervalMs: number;
  /** True if the clients request the replies as `text/event-stream`. */
  streamed: boolean;
}

const PROMPT = "What do you see tonight, keeper?";
const FIRST_WORD = "0@";
const LAST_WORD = `${SHORT_REPLY.words - 1}@`;
const STREAM = { accept: "text/event-stream" };

const hubRequest = (
  port: number,
  { apiKey, ...room }: ChatClient,
  content: string,
  headers: Record<string, string> = {},
): Request => ({
  port,
  path: "/api/chat",
  headers: { authorization: `Bearer ${apiKey}`, ...headers },
  body: JSON.stringify({ ...room, content }),
});

const providerRequest = (port: number): Request => ({
  port,
  path: "/v1/chat/completions",
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: PROMPT }] }),
});

/**
 * All rooms send messages at an interval. A room sends its next message only after the reply.
 * @throws Error if a call fails or no reply arrives
 */
async function rooms({ target, port, clients, seconds, intervalMs, streamed }: RoomsOrder) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients.length });
  const times: number[] = [];
  const firstTokens: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    clients.map(async (client, nth) => {
      const request =
        target === "hub"
          ? hubRequest(port, client, PROMPT, streamed ? STREAM : {})
          : providerRequest(port);
      // The clients' first messages are spread over the interval.
      let next = start + (intervalMs * nth) / clients.length;
      for (;;) {
        await sleep(Math.max(0, next - performance.now()));
        const sent = performance.now();
        if (sent >= end) return;
        let firstTokenAt = 0;
        const onChunk = (chunk: string) => {
          if (chunk.includes(FIRST_WORD)) firstTokenAt ||= performance.now();
        };
        const { status, text, ms } = await sendRequest({ ...request, agent, onChunk });
        if (status !== 200) throw new Error(errorOf(text));
        if (!text.includes(LAST_WORD)) throw new Error("a reply lacks its last word");
        times.push(ms);
        firstTokens.push(firstTokenAt - sent);
        next = Math.max(next + intervalMs, performance.now());
      }
    }),
  );
  agent.destroy();
  if (times.length === 0) throw new Error("no reply arrived");
  return {
    replies: times.length,
    "replies/s": (times.length * 1_000) / (performance.now() - start),
    "p50 ms": quantile(times, 0.5),
    "p99 ms": quantile(times, 0.99),
    "first token p50 ms": quantile(firstTokens, 0.5),
  };
}

/** All clients request a paced reply at the same moment and check every word of the reply. */
async function burst(order: {
  port: number;
  clients: ChatClient[];
  words: number;
  everyMs: number;
}) {
  const { port, clients, words, everyMs } = order;
  const count = clients.length;
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  // Node accepts one new connection per turn of its event loop, which would delay most requests of
  // the burst. The connections are therefore opened in advance.
  await Promise.all(clients.map(() => sendRequest({ agent, port, path: "/healthz" })));
  const gaps: number[] = [];
  const faults: string[] = [];
  const start = performance.now();
  const question = questionFor({ words, everyMs, chars: 1 });
  await Promise.all(
    clients.map(async (client) => {
      let last = 0;
      const onChunk = () => {
        const now = performance.now();
        if (last > 0) gaps.push(now - last);
        last = now;
      };
      const request = { ...hubRequest(port, client, question, STREAM), agent, onChunk };
      const text = await sendRequest(request).then(
        (reply) => reply.text,
        (error: Error) => error.message,
      );
      if (!isComplete(text, words)) faults.push(errorOf(text));
    }),
  );
  agent.destroy();
  return {
    faults,
    values: {
      complete: count - faults.length,
      lost: faults.length,
      seconds: (performance.now() - start) / 1_000,
      "gap p50 ms": quantile(gaps, 0.5),
      "gap p99 ms": quantile(gaps, 0.99),
    },
  };
}

const errorOf = (text: string): string => /"error":"(\w+)"/.exec(text)?.[1] ?? text.slice(-80);

/**
 * Returns true if the deltas of a reply join without a gap, equal the text of its `done` event, and
 * contain every word once.
 */
function isComplete(text: string, words: number): boolean {
  let received = "";
  for (const block of text.split("\n\n")) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (!event || !data) continue;
    const { offset, text: piece, reply } = JSON.parse(data);
    if (event === "delta" && offset !== received.length) return false;
    if (event === "delta") received += piece;
    if (event === "done") return received === reply && isWhole(received, words);
  }
  return false;
}

export const chatClients = { rooms, burst };
answerCalls(chatClients);
