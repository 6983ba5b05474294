import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelPort } from "../../chat/models/model-port.ts";
import { HubError } from "../../errors.ts";
import type { Actor } from "../../testing/actor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

/** A model whose replies wait until the test releases them. Its calls fail if `fails` is set. */
function gatedModel() {
  let gate = Promise.resolve();
  const state = { calls: 0, fails: false };
  const models: ModelPort = {
    routes: { text: "test:gated", vision: null, premium: null, summary: null },
    longestCallMs: 60_000,
    async *stream() {
      state.calls++;
      await gate;
      if (state.fails) throw new HubError("provider_failed");
      yield `answer ${state.calls}`;
      return {
        provider: "test",
        model: "gated",
        inputTokens: null,
        outputTokens: null,
        finish: "stop",
        toolCalls: [],
      };
    },
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { models, state, hold };
}

describe.each(testDatabases())("Idempotency-Key (%s)", (database) => {
  const model = gatedModel();
  let hub: TestHub;
  let ada: Actor;
  let soulId: number;
  beforeAll(async () => {
    hub = await startTestHub({ database, models: model.models });
    ada = await hub.vip("ada");
    soulId = (await ada.post("/api/souls", { title: "T", content: "C" })).body.id;
  });
  afterAll(() => hub.close());

  const keyed = (key: string) => ({ "idempotency-key": key });
  const souls = async () => (await ada.get("/api/my-souls")).body.total as number;

  it("returns the first answer to a repeat, and changes nothing", async () => {
    const before = await souls();
    const first = await ada.post("/api/souls", { title: "Once", content: "C" }, keyed("k1"));
    const repeat = await ada.post("/api/souls", { title: "Once", content: "C" }, keyed("k1"));
    expect([first.status, repeat.status]).toEqual([200, 200]);
    expect(repeat.body).toEqual(first.body);
    expect(await souls()).toBe(before + 1);
  });

  it("compares bodies as JSON values, without order and white space", async () => {
    const send = (body: string) =>
      ada.send("POST", "/api/souls", body, { "content-type": "application/json", ...keyed("k2") });
    const first = await send('{"title":"A","content":"C"}');
    const reordered = await send('{ "content": "C", "title": "A" }');
    const other = await send('{"title":"B","content":"C"}');
    expect(reordered.body.id).toBe(first.body.id);
    expect([other.status, other.body.error]).toEqual([422, "idempotency_mismatch"]);
  });

  it("is scoped to one account and one route", async () => {
    const bob = await hub.member("bob");
    const mine = await ada.post("/api/souls", { title: "X", content: "C" }, keyed("k3"));
    const his = await bob.post("/api/souls", { title: "X", content: "C" }, keyed("k3"));
    const like = await ada.post("/api/like", { soul_id: soulId }, keyed("k3"));
    expect(his.body.id).not.toBe(mine.body.id);
    expect(like.body.liked).toBe(true);
  });

  it("returns the same state to a repeated toggle", async () => {
    const first = await ada.post("/api/like", { soul_id: soulId }, keyed("k4"));
    const repeat = await ada.post("/api/like", { soul_id: soulId }, keyed("k4"));
    expect(repeat.body).toEqual(first.body);
  });

  it("returns 409 while the first call runs, and its answer afterwards", async () => {
    const release = model.hold();
    const question = { soul_id: soulId, session_token: "s", content: "hello" };
    const calls = model.state.calls;
    const first = ada.post("/api/chat", question, keyed("k5"));
    await expect.poll(() => model.state.calls).toBe(calls + 1);
    const during = await ada.post("/api/chat", question, keyed("k5"));
    expect([during.status, during.body.error]).toEqual([409, "idempotency_in_flight"]);
    release();
    const answer = await first;
    expect((await ada.post("/api/chat", question, keyed("k5"))).body).toEqual(answer.body);
    expect(model.state.calls).toBe(calls + 1);
    const { body } = await ada.get(`/api/chat?soul_id=${soulId}&session_token=s`);
    expect(body.messages).toHaveLength(2);
  });

  it("returns a stored failure, but runs the call again after 5xx", async () => {
    const missing = await ada.post("/api/like", { soul_id: 999_999 }, keyed("k6"));
    const again = await ada.post("/api/like", { soul_id: 999_999 }, keyed("k6"));
    expect([missing.status, again.status, again.body.error]).toEqual([404, 404, "soul_not_found"]);

    const question = { soul_id: soulId, session_token: "f", content: "hello" };
    model.state.fails = true;
    expect((await ada.post("/api/chat", question, keyed("k7"))).status).toBe(502);
    model.state.fails = false;
    expect((await ada.post("/api/chat", question, keyed("k7"))).status).toBe(200);
  });

  it("runs the call again after its client disconnected", async () => {
    const release = model.hold();
    const calls = model.state.calls;
    const question = { soul_id: soulId, session_token: "cut", content: "hello" };
    const leave = new AbortController();
    const lost = fetch(`${hub.url}/api/chat`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${ada.apiKey}`,
        ...keyed("k11"),
      },
      body: JSON.stringify(question),
      signal: leave.signal,
    });
    await expect.poll(() => model.state.calls).toBe(calls + 1);
    leave.abort();
    await expect(lost).rejects.toThrow();
    release();
    await expect
      .poll(async () => (await ada.post("/api/chat", question, keyed("k11"))).status)
      .toBe(200);
  });

  it("refuses a body that is nested too deep", async () => {
    const body = `{"soul_id":${soulId},"x":${"[".repeat(8_000)}${"]".repeat(8_000)}}`;
    const headers = { "content-type": "application/json", ...keyed("k12") };
    const { status, body: failure } = await ada.send("POST", "/api/like", body, headers);
    expect([status, failure.error]).toEqual([400, "invalid_input"]);
  });

  it("runs one of ten simultaneous calls", async () => {
    const before = await souls();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        ada.post("/api/souls", { title: "Ten", content: "C" }, keyed("k8")),
      ),
    );
    expect(await souls()).toBe(before + 1);
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(body.error).toBe("idempotency_in_flight");
    }
  });

  it("expires after 24 hours", async () => {
    const first = await ada.post("/api/souls", { title: "Day", content: "C" }, keyed("k9"));
    await hub.moveClock("24 hours 1 minute");
    const next = await ada.post("/api/souls", { title: "Day", content: "C" }, keyed("k9"));
    await hub.moveClock("0");
    expect(next.body.id).not.toBe(first.body.id);
  });

  it.each(["", " ", "k".repeat(256)])("refuses the key %j", async (key) => {
    const { status, body } = await ada.post("/api/like", { soul_id: soulId }, keyed(key));
    expect([status, body.error, body.details[0].field]).toEqual([
      400,
      "invalid_input",
      "Idempotency-Key",
    ]);
  });

  it("is ignored by endpoints that do not support it", async () => {
    const answers = [
      await ada.put(`/api/soul/${soulId}`, { title: "P1" }, keyed("k10")),
      await ada.put(`/api/soul/${soulId}`, { title: "P2" }, keyed("k10")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
