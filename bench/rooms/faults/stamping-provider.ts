/**
 * A model provider with OpenAI's chat completions API. Each word of its replies is the time at
 * which it was sent, by the system's monotonic clock. The question sets the number, interval and
 * length of the words.
 */
import { createServer, type ServerResponse } from "node:http";
import { parseQuestion, stampedWord } from "./stamped-words.ts";

const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const end = `${chunk({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;

/**
 * Shifts the start of each reply by a different fraction of the word interval. The words of
 * concurrent replies are thus spread evenly, and equally in every run.
 */
const GOLDEN_SECTION = 0.618;
let asked = 0;

function writeReply(response: ServerResponse, body: string): void {
  const { words, everyMs, chars } = parseQuestion(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  // Each word has a fixed time, counted from the start of the reply. With intervals counted from
  // the previous word, delayed replies would stay synchronized.
  const beginMs = performance.now() + ((asked++ * GOLDEN_SECTION) % 1) * everyMs;
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(sendWord, Math.max(0, beginMs + sent * everyMs - performance.now()));
  };
  const sendWord = () => {
    if (sent++ === words) return void response.end(end);
    response.write(chunk({ content: stampedWord(chars) }));
    wait();
  };
  wait();
  response.on("close", () => clearTimeout(timer));
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => writeReply(response, body));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("disconnect", () => process.exit());
