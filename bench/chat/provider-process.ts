/**
 * A model provider with OpenAI's chat completions protocol. It replies with WORDS words at once. To
 * PACED_PROMPT it replies with one word every WORD_MS milliseconds.
 */
import { createServer, type ServerResponse } from "node:http";
import { isPaced, PACED_WORDS, WORD_MS, WORDS, wordOf } from "./provider-reply.ts";

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

/** The paced replies in progress, and the number of words sent to each. */
const pacedReplies = new Map<ServerResponse, number>();
setInterval(() => {
  for (const [response, sent] of pacedReplies) {
    response.write(words[sent]);
    if (sent + 1 < PACED_WORDS) {
      pacedReplies.set(response, sent + 1);
    } else {
      pacedReplies.delete(response);
      response.end(end);
    }
  }
}, WORD_MS);

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (data: string) => {
    body += data;
  });
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (!isPaced(body)) return void response.end(atOnce);
    response.write(start);
    pacedReplies.set(response, 0);
    response.on("close", () => pacedReplies.delete(response));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("disconnect", () => process.exit());
