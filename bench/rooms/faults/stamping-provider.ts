/**
 * A provider that speaks OpenAI's chat completions: each word of its replies is the time at which it
 * was said, on the clock that all processes of a machine share. The question says how many, how far
 * apart, and how long each is.
 */
import { createServer, type ServerResponse } from "node:http";
import { parseSpeech, stampedWord } from "./stamped-speech.ts";

const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...fields })}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const end = `${chunk({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;

/** Rooms that are asked at once speak in turn, however many they are, and each time alike. */
const GOLDEN_SECTION = 0.618;
let asked = 0;

function speak(response: ServerResponse, body: string): void {
  const { words, everyMs, chars } = parseSpeech(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  // Each word has its own time: counted from the word before, rooms that were once held up together
  // would speak as one from then on.
  const beginMs = performance.now() + ((asked++ * GOLDEN_SECTION) % 1) * everyMs;
  let said = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(say, Math.max(0, beginMs + said * everyMs - performance.now()));
  };
  const say = () => {
    if (said++ === words) return void response.end(end);
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
  request.on("end", () => speak(response, body));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("disconnect", () => process.exit());
