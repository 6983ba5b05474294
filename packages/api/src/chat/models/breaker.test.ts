import { afterEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import type { ServerFault } from "../../testing/openai-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import type { ModelRequest } from "./model-port.ts";
import { modelRequest, modelsOn, readReply } from "./models.fixture.ts";
import { createModels } from "./models.ts";

async function modelsWith(
  fault: () => ServerFault | undefined,
  reply?: () => AsyncIterable<string>,
) {
  const server = await startOpenAiServer({ fault, ...(reply ? { reply } : {}) });
  let time = 5_000;
  const models = modelsOn(
    server,
    { premium: "openai:premium-model", keys: { openai: "sk-other" } },
    { now: () => time, baseUrls: { openai: server.url } },
  );
  const fail = async (): Promise<HubError> => {
    const error = await readReply(models).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof HubError)) throw new Error("The call succeeded.");
    return error;
  };
  const failTimes = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) await fail();
  };
  return {
    server,
    models,
    fail,
    failTimes,
    pass(ms: number): void {
      time += ms;
    },
    [Symbol.asyncDispose]: server.close,
  };
}

describe("five consecutive failures", () => {
  it("refuse calls for ten seconds, with Retry-After", async () => {
    await using test = await modelsWith(() => "html");
    await test.failTimes(5);
    test.pass(500);
    const refused = await test.fail();
    expect(refused.code).toBe("provider_failed");
    expect(refused.retryAfter).toBe(10);
    expect(refused.cause).toMatchObject({ name: "BreakerOpen" });
    test.pass(9_499);
    expect((await test.fail()).retryAfter).toBe(1);
    expect(test.server.requests).toHaveLength(5);
  });

  it("admit one call after ten seconds, whose failure reopens the breaker", async () => {
    await using test = await modelsWith(() => "html");
    await test.failTimes(5);
    test.pass(10_000);
    expect((await test.fail()).retryAfter).toBeUndefined();
    expect((await test.fail()).retryAfter).toBe(10);
    expect(test.server.requests).toHaveLength(6);
  });

  it("do not affect another provider", async () => {
    await using test = await modelsWith(() =>
      test.server.requests.length <= 5 ? "html" : undefined,
    );
    await test.failTimes(6);
    expect((await readReply(test.models, modelRequest({ route: "premium" }))).usage.provider).toBe(
      "openai",
    );
  });

  it("count a call with its retry once", async () => {
    await using test = await modelsWith(() => ({ status: 500 }));
    await test.failTimes(5);
    expect(test.server.requests).toHaveLength(10);
    await test.fail();
    expect(test.server.requests).toHaveLength(10);
  });
});

describe("the trial call", () => {
  it("blocks other calls until its first token", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using test = await modelsWith(
      () => (test.server.requests.length <= 5 ? "html" : undefined),
      async function* () {
        await gates[0]?.promise;
        yield "It is ";
        await gates[1]?.promise;
        yield "dark.";
      },
    );
    await test.failTimes(5);
    test.pass(10_000);
    const trial = test.models.stream(modelRequest());
    const firstWords = trial.next();
    await test.server.received(6);
    expect(await test.fail()).toMatchObject({ retryAfter: 1, cause: { name: "BreakerOpen" } });
    gates[0]?.resolve();
    await firstWords;
    const other = test.models.stream(modelRequest());
    expect((await other.next()).value).toBe("It is ");
    gates[1]?.resolve();
    while (!(await trial.next()).done);
    expect(test.server.requests).toHaveLength(7);
  });

  it("is replaced by the next call if it is cancelled or its prompt is refused", async () => {
    const faults: ServerFault[] = [...Array<ServerFault>(5).fill("html"), "hang", { status: 400 }];
    await using test = await modelsWith(() => faults.shift());
    await test.failTimes(5);
    test.pass(10_000);
    const caller = new AbortController();
    const reply = readReply(test.models, modelRequest({ signal: caller.signal }));
    await test.server.received(6);
    caller.abort("gone");
    await expect(reply).rejects.toBe("gone");
    expect((await test.fail()).cause).toMatchObject({ status: 400 });
    expect((await readReply(test.models)).text).not.toBe("");
  });
});

describe("calls that run when the breaker opens", () => {
  it("do not extend the open time", async () => {
    const gate = Promise.withResolvers<void>();
    await using test = await modelsWith(
      () => (test.server.requests.length === 1 ? undefined : "html"),
      async function* () {
        yield "It is ";
        await gate.promise;
        throw new Error("breaks the line");
      },
    );
    const slow = test.models.stream(modelRequest());
    await slow.next();
    await test.failTimes(5);
    test.pass(9_000);
    gate.resolve();
    await expect(slow.next()).rejects.toMatchObject({ code: "provider_failed" });
    test.pass(1_000);
    await test.fail();
    expect(test.server.requests).toHaveLength(7);
  });
});

describe("a timeout", () => {
  afterEach(() => void vi.useRealTimers());

  it("counts as a failure without any token", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using test = await modelsWith(() => "hang");
    for (let n = 1; n <= 5; n++) {
      const failed = test.fail();
      await test.server.received(n);
      vi.advanceTimersByTime(60_000);
      expect((await failed).code).toBe("provider_timeout");
    }
    expect((await test.fail()).cause).toMatchObject({ name: "BreakerOpen" });
  });

  it("does not count while a long reply is written", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const word = { said: () => {} };
    await using test = await modelsWith(
      () => undefined,
      async function* () {
        for (;;) {
          yield "and ";
          await new Promise<void>((resolve) => {
            word.said = resolve;
          });
        }
      },
    );
    for (let n = 1; n <= 6; n++) {
      const stream = test.models.stream(modelRequest());
      for (let seconds = 0; seconds < 60; seconds += 15) {
        await stream.next();
        vi.advanceTimersByTime(15_000);
        word.said();
      }
      await expect(stream.next().then(() => stream.next())).rejects.toMatchObject({
        code: "provider_timeout",
        cause: { outage: false },
      });
    }
  });
});

describe("calls that do not count", () => {
  it("a success resets the count", async () => {
    await using test = await modelsWith(() =>
      test.server.requests.length === 5 ? undefined : "html",
    );
    await test.failTimes(4);
    await readReply(test.models);
    await test.failTimes(5);
    expect(test.server.requests).toHaveLength(10);
  });

  it.each<ServerFault>([{ status: 400 }, { status: 403 }, { status: 404 }, "empty", "filtered"])(
    "%o: a failure that one prompt can cause",
    async (fault) => {
      await using test = await modelsWith(() => fault);
      await test.failTimes(6);
      expect(test.server.requests).toHaveLength(6);
    },
  );

  const words = { choices: [{ index: 0, delta: { content: "It " }, finish_reason: null }] };
  const inStream = (error: object): ServerFault => ({ events: [words, { error }] });
  const message = "provider's own words";

  it.each([
    { code: 400 },
    { code: "402" },
    { status: 403 },
    { status: "NOT_FOUND" },
    { code: 413, type: "server_error" },
    { type: "UnprocessableEntityError" },
    { type: "invalid_request_error", code: null },
    { code: "context_length_exceeded" },
    { type: "moderation", status: "flagged" },
    { type: "server_error", code: "context_length_exceeded" },
  ])("an error in a stream that refuses one request: %o", async (error) => {
    const wholly = { error: message, ...error };
    for (const fault of [inStream({ message, ...error }), { events: [words, wholly] }]) {
      await using test = await modelsWith(() => fault);
      await test.failTimes(6);
      expect(test.server.requests).toHaveLength(6);
    }
  });

  it.each([
    {},
    { code: 503 },
    { code: "server_error" },
    { status: "UNAVAILABLE" },
    { type: "overloaded_error" },
    { type: "invalid_request_error", code: "model_overloaded" },
    { type: "invalid_request_error", code: "internal_server_error" },
    { code: 401 },
    { code: "rate_limit_exceeded" },
  ])("but an error in a stream that refuses every request does: %o", async (error) => {
    await using test = await modelsWith(() => inStream({ message, ...error }));
    await test.failTimes(5);
    expect((await test.fail()).cause).toMatchObject({ name: "BreakerOpen" });
  });

  it.each<[string, object[]]>([
    ["openai:m", [{ error: { message, type: "invalid_request_error", code: "string_above_max" } }]],
    ["openai:m", [{ error: { message, code: "content_policy_violation" } }]],
    ["openai:m", [words, { error: { message, code: "content_policy_violation" } }]],
    ["anthropic:m", [{ type: "error", error: { type: "invalid_request_error", message } }]],
    [
      "anthropic:m",
      [
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "It" } },
        { type: "error", error: { type: "request_too_large", message } },
      ],
    ],
    ["google:m", [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }]],
    ["google:m", [{ error: { message, status: "FAILED_PRECONDITION" } }]],
  ])("an error in a stream of %s: %j", async (text, events) => {
    let calls = 0;
    const models = createModels(
      {
        text,
        vision: null,
        premium: null,
        summary: null,
        keys: { openai: "sk-o", anthropic: "sk-a", google: "sk-g" },
        openaiCompatible: {},
        timeoutMs: 60_000,
      },
      {
        retryDelayMs: 0,
        fetch: async () => {
          calls++;
          const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        },
      },
    );
    for (let n = 1; n <= 6; n++) {
      await expect(readReply(models)).rejects.toMatchObject({ code: "provider_failed" });
    }
    expect(calls).toBe(6);
  });

  const deep = "[".repeat(15_000) + "]".repeat(15_000);
  const nested = { id: "call_1", name: "tide", arguments: deep };
  const malformed = { allOf: "none", properties: { tide: null } };
  it.each<[string, string, Partial<ModelRequest>]>([
    [
      "deeply nested arguments",
      "text",
      { messages: [{ role: "assistant", content: "", toolCalls: [nested] }], choices: {} },
    ],
    ["a malformed schema", "premium", { choices: { json: { schema: malformed } } }],
    [
      "a tool with a malformed schema",
      "premium",
      { choices: { tools: [{ name: "tide", parameters: { ...malformed, anyOf: 7 } }] } },
    ],
  ])("calls of an app that no provider can take: %s", async (_, route, call) => {
    await using test = await modelsWith(() => undefined);
    const request = modelRequest({ route: route as ModelRequest["route"], ...call });
    for (let n = 1; n <= 6; n++) {
      await expect(readReply(test.models, request)).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
    expect(test.server.requests).toHaveLength(0);
    const others = modelRequest({ route: request.route });
    expect((await readReply(test.models, others)).text).not.toBe("");
  });

  it("cancelled calls", async () => {
    await using test = await modelsWith(() =>
      test.server.requests.length <= 6 ? "hang" : undefined,
    );
    for (let n = 1; n <= 6; n++) {
      const caller = new AbortController();
      const reply = readReply(test.models, modelRequest({ signal: caller.signal }));
      await test.server.received(n);
      caller.abort("gone");
      await expect(reply).rejects.toBe("gone");
    }
    expect((await readReply(test.models)).text).not.toBe("");
  });
});
