import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import type { ServerFault } from "../../testing/openai-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { ask, modelsOn, readReply } from "./models.fixture.ts";
import { ProviderFault } from "./provider-fault.ts";

async function failure(reply: Promise<unknown>): Promise<HubError> {
  const error = await reply.then(
    () => expect.unreachable("the call should have failed"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HubError)) throw error;
  return error;
}

describe("a provider that fails", () => {
  const table: [ServerFault, name: string, status: number | null, calls: number][] = [
    [{ status: 400 }, "AI_APICallError", 400, 1],
    [{ status: 401 }, "AI_APICallError", 401, 1],
    [{ status: 403 }, "AI_APICallError", 403, 1],
    [{ status: 404 }, "AI_APICallError", 404, 1],
    [{ status: 409 }, "AI_APICallError", 409, 1],
    [{ status: 408 }, "AI_APICallError", 408, 2],
    [{ status: 429 }, "AI_APICallError", 429, 2],
    [{ status: 500 }, "AI_APICallError", 500, 2],
    [{ status: 503, body: "<html>down</html>" }, "AI_APICallError", 503, 2],
    ["reset", "AI_APICallError", null, 2],
    ["cut-silent", "AI_APICallError", 200, 2],
    ["html", "AI_InvalidResponseDataError", null, 1],
    ["half", "AI_InvalidResponseDataError", null, 1],
    ["error-chunk", "ErrorInStream", null, 1],
    ["garbage", "AI_JSONParseError", null, 1],
    ["endless", "OversizedReply", null, 1],
    ["empty", "EmptyReply", null, 1],
    ["filtered", "FilteredReply", null, 1],
  ];
  it.each(table)(
    "%o: provider_failed as %s %s after %i call(s)",
    async (fault, name, status, calls) => {
      await using server = await startOpenAiServer({ fault: () => fault });
      const error = await failure(readReply(modelsOn(server)));
      expect(error.code).toBe("provider_failed");
      expect(error.cause).toBeInstanceOf(ProviderFault);
      expect(error.cause).toMatchObject({
        provider: "openai-compatible",
        model: "text-model",
        name,
        status,
      });
      expect(server.requests).toHaveLength(calls);
    },
  );

  it.each<ServerFault>([
    { status: 408 },
    { status: 429 },
    { status: 500 },
    { status: 503 },
    "reset",
    "cut-silent",
  ])("%o once: the second call answers", async (fault) => {
    await using server = await startOpenAiServer();
    server.failNext(fault);
    expect((await readReply(modelsOn(server))).text).toContain("lighthouse");
    expect(server.requests).toHaveLength(2);
  });

  it("is asked again when it said it wanted to be", async () => {
    await using server = await startOpenAiServer();
    vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
    const inTwoSeconds = new Date(Date.now() + 2_000).toUTCString();
    for (const retryAfter of [2, inTwoSeconds, "2.0"]) {
      const pauses: unknown[] = [];
      const sleep = async <T>(pause?: number, value?: T) => {
        pauses.push(pause);
        return value as T;
      };
      server.failNext({ status: 429, retryAfter });
      expect((await readReply(modelsOn(server, {}, { sleep }))).text).toContain("lighthouse");
      expect(pauses).toEqual([2_000]);
    }
    expect(server.requests).toHaveLength(6);
    vi.useRealTimers();
  });

  it("is not asked again while it wants to be left alone, and the caller learns for how long", async () => {
    await using server = await startOpenAiServer();
    server.failNext({ status: 429, retryAfter: 30 }, { status: 503, retryAfter: 999_999 });
    expect((await failure(readReply(modelsOn(server)))).retryAfter).toBe(30);
    expect((await failure(readReply(modelsOn(server)))).retryAfter).toBe(3_600);
    expect(server.requests).toHaveLength(2);
    server.failNext({ status: 429, retryAfter: "soon" });
    expect((await readReply(modelsOn(server))).text).toContain("lighthouse");
  });

  it("is not asked for a summary again after a 4xx, and once after what may pass", async () => {
    await using server = await startOpenAiServer();
    for (const status of [400, 408, 429]) {
      server.failNext({ status });
      await failure(readReply(modelsOn(server), ask({ route: "summary" })));
    }
    expect(server.requests).toHaveLength(3);
    server.failNext({ status: 503 });
    await readReply(modelsOn(server), ask({ route: "summary" }));
    expect(server.requests).toHaveLength(5);
  });

  it("is not asked a second time after the first token, though the line broke", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAiServer({
      reply: async function* () {
        yield "It is ";
        await gate.promise;
        throw new Error("breaks the line");
      },
    });
    const stream = modelsOn(server).stream(ask());
    expect((await stream.next()).value).toBe("It is ");
    gate.resolve();
    expect((await failure(stream.next())).code).toBe("provider_failed");
    expect(server.requests).toHaveLength(1);
  });

  it("may not be there", async () => {
    const server = await startOpenAiServer();
    await server.close();
    const error = await failure(readReply(modelsOn(server)));
    expect(error).toMatchObject({ code: "provider_failed", cause: { status: null, outage: true } });
  });

  it("may break the line in the middle", async () => {
    await using server = await startOpenAiServer({ fault: () => "cut" });
    expect((await failure(readReply(modelsOn(server)))).code).toBe("provider_failed");
  });

  it("that can't stop is stopped", async () => {
    await using server = await startOpenAiServer({ fault: () => "endless" });
    expect((await failure(readReply(modelsOn(server)))).cause).toMatchObject({ outage: false });
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("says nothing that was only white space", async () => {
    await using server = await startOpenAiServer({ reply: () => [" ", "\n"] });
    expect((await failure(readReply(modelsOn(server)))).cause).toMatchObject({
      name: "EmptyReply",
    });
  });

  it("is not followed to another place", async () => {
    await using elsewhere = await startOpenAiServer();
    await using server = await startOpenAiServer({
      fault: () => ({ redirect: `${elsewhere.url}/chat/completions` }),
    });
    const error = await failure(readReply(modelsOn(server)));
    expect(error.code).toBe("provider_failed");
    expect(error.cause).toMatchObject({ status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(1);
  });

  it("tells neither caller nor log nor console prompt, key or the provider's words", async () => {
    const printed: unknown[] = [];
    for (const method of ["error", "warn", "log"] as const) {
      vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
    }
    vi.spyOn(process, "emitWarning").mockImplementation((...args) => void printed.push(args));
    for (const fault of [{ status: 400 }, "error-chunk", "html"] as const) {
      await using server = await startOpenAiServer({ fault: () => fault });
      const error = await failure(readReply(modelsOn(server)));
      printed.push(
        inspect(error, { depth: 20, showHidden: true }),
        error.toBody("r"),
        JSON.stringify(error),
      );
    }
    vi.restoreAllMocks();
    expect(inspect(printed, { depth: 20 })).not.toMatch(
      /PROMPT-SECRET|KEY-SECRET|own words|Is it dark/,
    );
  });
});

describe("MODEL_TIMEOUT_MS", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends a call that gets no answer, without a second one", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    const request = await server.received(1);
    vi.advanceTimersByTime(1000);
    expect((await error).code).toBe("provider_timeout");
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a call whose answer has only a head", async () => {
    await using server = await startOpenAiServer({ fault: () => "silent" });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    const request = await server.received(1);
    vi.advanceTimersByTime(1000);
    expect(await error).toMatchObject({ code: "provider_timeout", cause: { outage: true } });
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a reply that stalls half-way", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const stream = modelsOn(server, { timeoutMs: 1000 }).stream(ask());
    await stream.next();
    vi.advanceTimersByTime(1000);
    expect((await failure(stream.next())).code).toBe("provider_timeout");
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("need not run out for a reply that has fallen silent: 20 s will do", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const stream = modelsOn(server).stream(ask());
    await stream.next();
    vi.advanceTimersByTime(20_000);
    const error = await failure(stream.next());
    expect(error).toMatchObject({ code: "provider_timeout", cause: { outage: true } });
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("is what a model that thinks in silence has, before it begins", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAiServer({
      reply: async function* () {
        await gate.promise;
        yield "It is dark.";
      },
    });
    const reply = readReply(modelsOn(server));
    await server.received(1);
    vi.advanceTimersByTime(59_999);
    gate.resolve();
    expect((await reply).text).toBe("It is dark.");
  });

  it("can be another for each route, and so can the limit of what is said", async () => {
    await using server = await startOpenAiServer({
      fault: ({ model }) => (model === "vision-model" ? "hang" : undefined),
    });
    const models = modelsOn(server, {
      vision: "openai-compatible:vision-model",
      timeoutMs: 5_000,
      limits: { text: { maxOutputTokens: 300 }, vision: { timeoutMs: 1_000 } },
    });
    expect(models.longestCallMs).toBe(10_000);
    const error = failure(readReply(models, ask({ route: "vision" })));
    await server.received(1);
    vi.advanceTimersByTime(1_000);
    expect((await error).code).toBe("provider_timeout");
    for (const route of ["text", "summary"] as const) await readReply(models, ask({ route }));
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([undefined, 300, 300]);
  });

  it("is one limit for both attempts", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    server.failNext({ status: 500 });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    await server.received(1);
    // The first attempt's answer is followed by a pause of 0 ms, on the stopped clock.
    await vi.waitUntil(async () => {
      await vi.advanceTimersByTimeAsync(0);
      return server.requests.length === 2;
    });
    vi.advanceTimersByTime(1000);
    expect((await error).code).toBe("provider_timeout");
  });

  it("is doubled for deep think", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    let ended = false;
    const error = failure(
      readReply(modelsOn(server, { timeoutMs: 1000 }), ask({ deepThink: true })),
    );
    void error.then(() => (ended = true));
    const request = await server.received(1);
    vi.advanceTimersByTime(1999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await error).code).toBe("provider_timeout");
    expect(await request.ended).toBe("cancelled");
  });

  it("leaves no timer behind", async () => {
    await using server = await startOpenAiServer();
    const before = vi.getTimerCount();
    await readReply(modelsOn(server));
    expect(vi.getTimerCount()).toBe(before);
  });
});
