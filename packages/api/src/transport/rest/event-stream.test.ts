import Fastify from "fastify";
import { afterEach, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import { streamAnswer } from "./event-stream.ts";

afterEach(() => vi.useRealTimers());

it("sends the first piece at once and joins later ones", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const app = Fastify();
  let say = (_: string, _of = {}): void => undefined;
  const done = Promise.withResolvers<object>();
  app.get("/", (request, reply) =>
    streamAnswer(request, reply, (onDelta) => {
      const reply = { reply_id: "r", soul_id: 1 };
      say = (text, of = reply) => onDelta(text, of);
      for (const text of ["One ", "two ", "three "]) say(text);
      return done.promise;
    }),
  );
  const url = await app.listen({ port: 0 });
  const response = await fetch(url);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  expect(await next()).toBe(
    'event: delta\ndata: {"reply_id":"r","soul_id":1,"offset":0,"text":"One "}\n\n',
  );
  vi.advanceTimersByTime(50);
  expect(await next()).toBe(
    'event: delta\ndata: {"reply_id":"r","soul_id":1,"offset":4,"text":"two three "}\n\n',
  );
  say("four ");
  say("five.");
  // Another reply begins with the offset 0.
  say("Me too.", { reply_id: "s", soul_id: 2 });
  done.resolve({ reply: "all" });
  let rest = "";
  for (let part = await next(); part !== undefined; part = await next()) rest += part;
  expect(rest).toBe(
    'event: delta\ndata: {"reply_id":"r","soul_id":1,"offset":14,"text":"four five."}\n\n' +
      'event: delta\ndata: {"reply_id":"s","soul_id":2,"offset":0,"text":"Me too."}\n\n' +
      'event: done\ndata: {"success":true,"reply":"all"}\n\n',
  );
  await app.close();
});

it("keeps the connection open while a model thinks, then sends the failure", async () => {
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
