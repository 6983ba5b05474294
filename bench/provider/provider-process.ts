/**
 * A model provider with OpenAI's chat completions protocol. A question says which reply it wants
 * (words.ts). The argument is the port.
 */
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { parseQuestion, type ReplyShape, wordOf } from "./words.ts";

const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const usage = { prompt_tokens: 1, completion_tokens: 40, total_tokens: 41 };
const start = chunk({ role: "assistant", content: "" });
const end = `${chunk({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;

/**
 * Shifts the start of each paced reply by a different fraction of the word interval. The words of
 * concurrent replies are thus spread evenly, and equally in every run.
 */
const GOLDEN_SECTION = 0.618;
let asked = 0;

function writePaced(response: ServerResponse, { words, everyMs, chars }: ReplyShape): void {
  response.write(start);
  // Each word has a fixed time, counted from the start of the reply. With intervals counted from
  // the previous word, delayed replies would stay synchronized.
  const beginMs = performance.now() + ((asked++ * GOLDEN_SECTION) % 1) * everyMs;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (n: number) => {
    timer = setTimeout(sendWord, Math.max(0, beginMs + n * everyMs - performance.now()), n);
  };
  const sendWord = (n: number) => {
    if (n === words) return void response.end(end);
    response.write(chunk({ content: wordOf(n, chars) }));
    waitFor(n + 1);
  };
  waitFor(0);
  response.on("close", () => clearTimeout(timer));
}

const server = createServer(async (request, response) => {
  const shape = parseQuestion(await text(request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (shape.everyMs > 0) return writePaced(response, shape);
  const words = Array.from({ length: shape.words }, (_, n) =>
    chunk({ content: wordOf(n, shape.chars) }),
  );
  response.end(start + words.join("") + end);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("disconnect", () => process.exit());
