import { expect, it } from "vitest";
import { startOpenAiServer } from "./openai-server.ts";

it("answers whole when no stream is asked for", async () => {
  await using server = await startOpenAiServer({ reply: () => ["It is ", "dark."] });
  const response = await fetch(`${server.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [{ role: "system", content: "S" }] }),
  });
  expect(await response.json()).toMatchObject({
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: "It is dark." }, finish_reason: "stop" }],
  });
  expect(server.requests[0]).toMatchObject({
    model: "m",
    stream: false,
    system: "S",
    messages: [],
  });
});

it("answers nothing but chat completions", async () => {
  await using server = await startOpenAiServer();
  expect((await fetch(`${server.url}/models`)).status).toBe(404);
});
