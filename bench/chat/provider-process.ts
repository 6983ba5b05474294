/**
 * A provider in a process of its own that speaks OpenAI's chat completions and thinks about nothing.
 * It says WORDS at once, or, asked to take its time, a word every 20 ms.
 */
import { createServer, type ServerResponse } from "node:http";
import { isPaced, PACED_WORDS, WORD_MS, WORDS, wordOf } from "./spoken-words.ts";

const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const end = `${chunk({}, "stop")}${event({
  choices: [],
  usage: { prompt_tokens: 1, completion_tokens: WORDS, total_tokens: WORDS + 1 },
})}data: [DONE]\n\n`;

const start = chunk({ role: "assistant", content: "" });
const words = Array.from({ length: PACED_WORDS }, (_, n) => chunk({ content: wordOf(n) }));
const atOnce = Buffer.from(start + words.slice(0, WORDS).join("") + end);

/** Those who are being answered word by word, and how far they are. */
const listeners = new Map<ServerResponse, number>();
setInterval(() => {
  for (const [response, said] of listeners) {
    response.write(words[said]);
    if (said + 1 < PACED_WORDS) {
      listeners.set(response, said + 1);
    } else {
      listeners.delete(response);
      response.end(end);
    }
  }
}, WORD_MS);

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (!isPaced(body)) return void response.end(atOnce);
    response.write(start);
    listeners.set(response, 0);
    response.on("close", () => listeners.delete(response));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("disconnect", () => process.exit());
