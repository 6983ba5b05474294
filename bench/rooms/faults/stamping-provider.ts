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

function speak(response: ServerResponse, body: string): void {
  const { words, everyMs, chars } = parseSpeech(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  let said = 0;
  let timer: NodeJS.Timeout | undefined;
  const say = () => {
    if (said++ < words) return void response.write(chunk({ content: stampedWord(chars) }));
    clearInterval(timer);
    response.end(end);
  };
  // Rooms that were asked at once don't speak in one voice.
  const begin = setTimeout(() => {
    timer = setInterval(say, everyMs);
  }, Math.random() * everyMs);
  response.on("close", () => {
    clearTimeout(begin);
    clearInterval(timer);
  });
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
