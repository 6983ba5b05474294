import Fastify from "fastify";
import { afterEach, expect, it, vi } from "vitest";
import { HubError } from "../errors.ts";
import { streamAnswer } from "./event-stream.ts";

afterEach(() => vi.useRealTimers());

it("shows that somebody is there while a model thinks, and still says how it ended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const app = Fastify();
  let fail = (_: unknown): void => undefined;
  app.get("/", (request, reply) =>
    streamAnswer(request, reply, () => new Promise((_, reject) => (fail = reject))),
  );
  const url = await app.listen({ port: 0 });
  const asked = fetch(url);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  vi.advanceTimersByTime(31_000);
  const response = await asked;
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  fail(new HubError("provider_timeout"));
  const text = await response.text();
  expect(text.match(/^: still waiting$/gm)).toHaveLength(2);
  expect(text).toMatch(/\nevent: error\ndata: {.*"provider_timeout"/);
  expect(vi.getTimerCount()).toBe(0);
  await app.close();
});
