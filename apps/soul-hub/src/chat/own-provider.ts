import { once } from "node:events";
import { Failure, memberOf } from "@soul-hub/program";
import { accepted, type Hub, toFailure } from "../hub/hub.ts";
import { readEvents } from "../hub/read-events.ts";
import type { Report, Session } from "../hub/session.ts";
import { asOneLine } from "../terminal/foreign-text.ts";
import { bold, red } from "../terminal/terminal.ts";
import { PromptLine } from "./prompt-line.ts";

/** A conversation that the account's own provider pays for. The hub stores nothing of it. */
interface Talk {
  hub: Hub;
  session: Session;
  soul: { id: number; title: string };
}

interface Message {
  role: "user" | "assistant";
  content: string;
}

/** Asks one question. @throws Failure of the hub */
export async function askOwnProvider(talk: Talk, content: string): Promise<Report> {
  const { terminal, isJson } = talk.session;
  const messages: Message[] = [{ role: "user", content }];
  const onText = (text: string) =>
    isJson ? terminal.json({ type: "delta", text }) : terminal.write(text);
  const reply = await complete(talk, messages, onText);
  if (isJson) terminal.json({ type: "message", role: "assistant", content: reply });
  else terminal.write("\n");
  return {};
}

/** Talks until the person leaves. Each question brings the conversation so far along. */
export async function talkToOwnProvider(talk: Talk): Promise<Report> {
  const { terminal, isJson } = talk.session;
  const messages: Message[] = [];
  /** Questions that are typed while a reply is written. */
  const waiting: string[] = [];
  let running: AbortController | undefined;
  const prompt = new PromptLine(terminal, {
    onLine(text) {
      waiting.push(text);
      if (!running) void answerWaiting();
    },
    cancel,
  });

  function cancel(): boolean {
    waiting.length = 0;
    running?.abort();
    return running !== undefined;
  }

  async function answerWaiting(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await answer(next);
  }

  async function answer(content: string): Promise<void> {
    running = new AbortController();
    let isBegun = false;
    const onText = (text: string) => {
      if (isJson) return terminal.json({ type: "delta", text });
      if (!isBegun) prompt.begin(bold(`${asOneLine(talk.soul.title)}: `));
      isBegun = true;
      prompt.write(text);
    };
    const question: Message = { role: "user", content };
    try {
      const reply = await complete(talk, [...messages, question], onText, running.signal);
      messages.push(question, { role: "assistant", content: reply });
      if (isJson) terminal.json({ type: "message", role: "assistant", content: reply });
    } catch (error) {
      const isCancelled = running.signal.aborted;
      if (!isCancelled) prompt.note(red(error instanceof Error ? error.message : String(error)));
    } finally {
      running = undefined;
      if (isBegun) prompt.end();
    }
  }

  prompt.redraw();
  await once(prompt.left, "abort");
  cancel();
  prompt.close();
  return { exitCode: prompt.exitCode };
}

/** Calls the soul as a model (0051). `:own` asks for the account's own provider. */
async function complete(
  { hub, soul }: Talk,
  messages: readonly Message[],
  onText: (text: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const response = await hub.send("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: `soul-${soul.id}:own`, messages, stream: true }),
    ...(signal && { signal }),
  });
  await accepted(response, hub.url);
  let reply = "";
  try {
    for await (const data of readEvents(response)) {
      if (data === "[DONE]") return reply;
      const chunk: unknown = JSON.parse(data);
      const failure = toFailure(chunk);
      if (failure) throw failure;
      // The last chunk has the whole text, if the stream differs from it.
      const corrected = memberOf(memberOf(chunk, "soul_hub"), "text");
      if (typeof corrected === "string") reply = corrected;
      const choices = memberOf(chunk, "choices");
      const delta = memberOf(Array.isArray(choices) ? choices[0] : null, "delta");
      const text = memberOf(delta, "content");
      if (typeof text !== "string" || text === "") continue;
      reply += text;
      onText(text);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Failure) throw error;
  }
  throw toFailure({ error: "provider_failed", message: "The reply broke off." });
}
