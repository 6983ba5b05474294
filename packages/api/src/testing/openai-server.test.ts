import { expect, it } from "vitest";
import { startOpenAiServer } from "./openai-server.ts";

it("responds with JSON to a request without stream", async () => {
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

it("lists models unless listsModels is false, and serves no other path", async () => {
  await using server = await startOpenAiServer();
  await using without = await startOpenAiServer({ listsModels: false });
  const statusOf = async (url: string) => (await fetch(url)).status;
  expect(await statusOf(`${server.url}/models`)).toBe(200);
  expect(await statusOf(`${without.url}/models`)).toBe(404);
  expect(await statusOf(`${server.url}/embeddings`)).toBe(404);
});

it("accepts only the configured keys", async () => {
  await using server = await startOpenAiServer({ keys: ["good"] });
  const statusFor = async (key: string) =>
    (await fetch(`${server.url}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await statusFor("good"), await statusFor("bad")]).toEqual([200, 401]);
});
