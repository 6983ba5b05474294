import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { chatKeyOf, describeV1, startV1Hub, unitsLeft } from "./v1.fixture.ts";

/** Costs and answers of `/v1` calls that fail midway (0051). */
describeV1("a call of /v1", (hub, key) => {
  const shapes = {
    "/v1/chat/completions": { messages: [{ role: "user", content: "Is it dark?" }] },
    "/v1/responses": { input: "Is it dark?" },
  };
  const paths = Object.keys(shapes) as (keyof typeof shapes)[];
  const ask = (path: keyof typeof shapes, more: object = {}) =>
    key.post(path, { model: hub.model, ...shapes[path], ...more });
  const held = async () => {
    const { db } = hub.hub.database;
    return (await db.selectFrom("quota_holds").select("id").execute()).length;
  };

  describe.each(paths)("%s", (path) => {
    it("that fails before its first piece is an ordinary failure, also as a stream", async () => {
      const before = await unitsLeft(hub.vera);
      for (const stream of [false, true]) {
        hub.provider.failNext({ status: 500 }, { status: 500 });
        const { status, headers, body } = await ask(path, { stream });
        expect([status, body.error.code, body.error.type]).toEqual([
          502,
          "provider_failed",
          "server_error",
        ]);
        expect(headers.get("content-type")).toContain("application/json");
      }
      expect([await unitsLeft(hub.vera), await held()]).toEqual([before, 0]);
    });

    it("that fails midway shows the error, ends without a sign of success and costs nothing", async () => {
      const before = await unitsLeft(hub.vera);
      hub.provider.failNext("cut");
      const { status, text } = await ask(path, { stream: true });
      expect(status).toBe(200);
      expect(text).toContain('"code":"provider_failed"');
      expect(text).not.toContain("[DONE]");
      expect(text).not.toContain("response.completed");
      expect([await unitsLeft(hub.vera), await held()]).toEqual([before, 0]);
    });

    it.each([null, "", " \n"])("fails on the empty reply %j and costs nothing", async (content) => {
      const before = await unitsLeft(hub.vera);
      const delta = { role: "assistant", content };
      const events = [{ choices: [{ index: 0, delta, finish_reason: "stop" }] }];
      hub.provider.failNext({ events }, { events });
      const { status, body } = await ask(path);
      expect([status, body.error.code]).toEqual([502, "provider_failed"]);
      const { text } = await ask(path, { stream: true });
      expect(text).toContain('"code":"provider_failed"');
      expect(text).not.toContain("[DONE]");
      expect(text).not.toContain("response.completed");
      expect([await unitsLeft(hub.vera), await held()]).toEqual([before, 0]);
    });

    it.each([false, true])(
      "is cancelled and costs nothing if its client leaves (stream: %s)",
      async (stream) => {
        const before = await unitsLeft(hub.vera);
        hub.provider.holdNext();
        const seen = hub.provider.requests.length;
        const leaving = new AbortController();
        const call = fetch(hub.url + path, {
          method: "POST",
          headers: { authorization: `Bearer ${key.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ model: hub.model, ...shapes[path], stream }),
          signal: leaving.signal,
        }).catch(() => undefined);
        const received = await hub.provider.received(seen + 1);
        leaving.abort();
        expect(await received.ended).toBe("cancelled");
        await call;
        await eventually(async () => {
          expect([await unitsLeft(hub.vera), await held()]).toEqual([before, 0]);
        });
      },
    );

    it("that waits for its turn is given up if its client leaves, and costs nothing", async () => {
      const before = await unitsLeft(hub.vera);
      const seen = hub.provider.requests.length;
      const goOn = Array.from({ length: 8 }, () => hub.provider.holdNext());
      const running = goOn.map(() => ask(path));
      await hub.provider.received(seen + 8);
      const leaving = new AbortController();
      const ninth = fetch(hub.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: hub.model, ...shapes[path] }),
        signal: leaving.signal,
      }).catch(() => "left");
      await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(1));
      leaving.abort();
      expect(await ninth).toBe("left");
      await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(0));
      for (const one of goOn) one();
      for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
      expect(hub.provider.requests.length).toBe(seen + 8);
      expect(await unitsLeft(hub.vera)).toBe(before - 8);
    });
  });

  it("that keeps its client waiting says that it is alive", async () => {
    hub.provider.failNext("hang");
    const leaving = new AbortController();
    const { body } = await fetch(`${hub.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: hub.model, ...shapes["/v1/chat/completions"], stream: true }),
      signal: leaving.signal,
    });
    const { value } = (await body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? "").toString()).toBe(": ping\n\n");
    leaving.abort();
    await eventually(async () => expect(await held()).toBe(0));
  });

  it("costs as many more writes as its body has MiB, before the body is read", async () => {
    await using strict = await startV1Hub({ config: { rateLimits: true } });
    const chat = await chatKeyOf(strict, strict.vera);
    const left = async (bytes: number) => {
      const body = "{}".padEnd(bytes);
      const type = { "content-type": "application/json" };
      const { headers } = await chat.send("POST", "/v1/chat/completions", body, type);
      return Number(headers.get("ratelimit-remaining"));
    };
    const before = await left(10);
    expect(await left(3 * 1024 * 1024)).toBe(before - 4);
    // A body without a length is sent in chunks.
    const inChunks = async () => {
      const asked = request(`${strict.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${chat.apiKey}`, "content-type": "application/json" },
      });
      asked.write("{");
      asked.end("}");
      const [response] = await once(asked, "response");
      response.resume();
      return response.statusCode;
    };
    const answers = [];
    for (let nth = 0; nth < 12; nth++) answers.push(await inChunks());
    expect(answers).toContain(400);
    expect(answers.at(-1)).toBe(429);
  });
});
