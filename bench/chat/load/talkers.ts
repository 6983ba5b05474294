/** The talkers, in a process and on a core of their own. They take orders from the bench, one at a time. */
import { Agent, get } from "node:http";
import { PACED_QUESTION, PACED_REPLY, QUESTION, WORDS, wordOf } from "../spoken-words.ts";
import { ask, type Question } from "./ask.ts";
import type { CrowdOrder, CrowdResult, Talker, TalkOrder, TalkResult } from "./talk-protocol.ts";

const FIRST_WORD = wordOf(0);
const LAST_WORD = wordOf(WORDS - 1);
const STREAM = { accept: "text/event-stream" };

async function talk(order: TalkOrder): Promise<TalkResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.talkers.length });
  const times: number[] = [];
  const firstTokens: number[] = [];
  let failures = 0;
  const cpu = cpuWatch();
  const start = performance.now();
  const end = start + order.seconds * 1_000;
  await Promise.all(
    order.talkers.map(async (talker, nth) => {
      // Spread over the period, as people are.
      let next = start + (order.everyMs * nth) / order.talkers.length;
      for (;;) {
        await until(next);
        const asked = performance.now();
        if (asked >= end) return;
        let heardFirst = 0;
        const question = questionOf(order, talker, (part) => {
          heardFirst ||= part.includes(FIRST_WORD) ? performance.now() : 0;
        });
        const reply = await ask(agent, question).catch(() => undefined);
        if (reply?.status === 200 && reply.text.includes(LAST_WORD)) {
          times.push(performance.now() - asked);
          firstTokens.push(heardFirst - asked);
        } else {
          failures++;
          // What fails at once would fail for ever without a pause.
          await pause(10);
        }
        next = Math.max(next + order.everyMs, performance.now());
      }
    }),
  );
  agent.destroy();
  const seconds = (performance.now() - start) / 1_000;
  return {
    replies: times.length,
    failures,
    repliesPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    firstTokenP50Ms: quantile(firstTokens, 0.5),
    talkerCpu: cpu(),
  };
}

function questionOf(order: TalkOrder, talker: Talker, onPart: (part: string) => void): Question {
  const { port, whom, streamed } = order;
  if (whom === "hub") return hubQuestion(port, talker, QUESTION, streamed ? STREAM : {}, onPart);
  const messages = [{ role: "user", content: QUESTION }];
  const body = JSON.stringify({ model: "m", stream: true, messages });
  return { port, path: "/v1/chat/completions", headers: {}, body, onPart };
}

function hubQuestion(
  port: number,
  { apiKey, soul_id, session_token }: Talker,
  content: string,
  headers: Record<string, string>,
  onPart: (part: string) => void,
): Question {
  return {
    port,
    path: "/api/chat",
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify({ soul_id, session_token, content }),
    onPart,
  };
}

async function gather({ port, crowd }: CrowdOrder): Promise<CrowdResult> {
  const agent = await openConnections(port, crowd.length);
  const gaps: number[] = [];
  const endings: Record<string, number> = {};
  const cpu = cpuWatch();
  const start = performance.now();
  const whole = await Promise.all(
    crowd.map(async (talker) => {
      let last = 0;
      const onPart = () => {
        const now = performance.now();
        if (last > 0) gaps.push(now - last);
        last = now;
      };
      const question = hubQuestion(port, talker, PACED_QUESTION, STREAM, onPart);
      const reply = await ask(agent, question).catch((error: Error) => error);
      const text = reply instanceof Error ? reply.message : reply.text;
      if (isWhole(text)) return true;
      const ending = /"error":"(\w+)"/.exec(text)?.[1] ?? text.slice(-80);
      endings[ending] = (endings[ending] ?? 0) + 1;
      return false;
    }),
  );
  agent.destroy();
  const count = whole.filter(Boolean).length;
  return {
    whole: count,
    lost: crowd.length - count,
    endings,
    seconds: (performance.now() - start) / 1_000,
    gapP50Ms: quantile(gaps, 0.5),
    gapP99Ms: quantile(gaps, 0.99),
    talkerCpu: cpu(),
  };
}

/** Node accepts one new connection each turn of its loop; asked over new ones, they would not ask at once. */
async function openConnections(port: number, count: number): Promise<Agent> {
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  const opened = Array.from(
    { length: count },
    () =>
      new Promise<void>((resolve, reject) => {
        const knock = get({ agent, port, path: "/healthz" }, (response) => {
          response.resume().on("end", resolve);
        });
        knock.on("error", reject);
      }),
  );
  await Promise.all(opened);
  return agent;
}

/** Every delta stands where the one before it ended, and the end says the same as all of them. */
function isWhole(text: string): boolean {
  let said = "";
  for (const block of text.split("\n\n")) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (!event || !data) continue;
    const { offset, text: piece, reply } = JSON.parse(data);
    if (event === "delta" && offset !== said.length) return false;
    if (event === "delta") said += piece;
    if (event === "done") return said === PACED_REPLY && reply === PACED_REPLY;
  }
  return false;
}

function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

function cpuWatch(): () => number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1_000 / (performance.now() - start);
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const until = (time: number) =>
  time > performance.now() ? pause(time - performance.now()) : undefined;

process.on("message", async (order: TalkOrder | CrowdOrder) => {
  process.send?.("crowd" in order ? await gather(order) : await talk(order));
});
// Ends with the bench, however that ends.
process.on("disconnect", () => process.exit());
