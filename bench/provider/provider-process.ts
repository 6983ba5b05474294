/**
 * A model provider with OpenAI's chat completions protocol. It replies with WORDS numbered words at
 * once. To PACED_PROMPT it replies with a word every WORD_MS milliseconds, and to the questions of
 * stamped-words.ts with words that contain the time. Its arguments are the port and the number of
 * paced words.
 */
import { createServer, type ServerResponse } from "node:http";
import { PACED_PROMPT, WORD_MS, WORDS, wordOf } from "./counted-words.ts";
import { parseQuestion, type ReplyShape, stampedWord } from "./stamped-words.ts";

const [port, pacedWords] = process.argv.slice(2).map(Number);

const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const usage = { prompt_tokens: 1, completion_tokens: WORDS, total_tokens: WORDS + 1 };
const end = `${chunk({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;

const start = chunk({ role: "assistant", content: "" });
const words = Array.from({ length: Math.max(WORDS, pacedWords ?? 0) }, (_, n) =>
  chunk({ content: wordOf(n) }),
);
const atOnce = Buffer.from(start + words.slice(0, WORDS).join("") + end);

/** The paced replies in progress, and the number of words sent to each. */
const pacedReplies = new Map<ServerResponse, number>();
setInterval(() => {
  for (const [response, sent] of pacedReplies) {
    if (sent === pacedWords) {
      pacedReplies.delete(response);
      response.end(end);
    } else {
      response.write(words[sent]);
      pacedReplies.set(response, sent + 1);
    }
  }
}, WORD_MS);

/**
 * Shifts the start of each stamped reply by a different fraction of the word interval. The words of
 * concurrent replies are thus spread evenly, and equally in every run.
 */
const GOLDEN_SECTION = 0.618;
let asked = 0;

function writeStamped(response: ServerResponse, { words, everyMs, chars }: ReplyShape): void {
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

function reply(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const shape = parseQuestion(body);
  if (!shape && !body.includes(PACED_PROMPT)) return void response.end(atOnce);
  response.write(start);
  if (shape) return void writeStamped(response, shape);
  pacedReplies.set(response, 0);
  response.on("close", () => pacedReplies.delete(response));
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (data: string) => {
    body += data;
  });
  request.on("end", () => reply(response, body));
});
server.keepAliveTimeout = 60_000;
server.listen(port, "127.0.0.1");
process.on("disconnect", () => process.exit());
