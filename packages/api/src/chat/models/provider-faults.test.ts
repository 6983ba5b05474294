import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import type { ServerFault } from "../../testing/openai-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { modelRequest, modelsOn, readReply } from "./models.fixture.ts";
import { ProviderFault } from "./provider-fault.ts";

async function failure(reply: Promise<unknown>): Promise<HubError> {
  const error = await reply.then(
    () => expect.unreachable("The call succeeded."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HubError)) throw error;
  return error;
}

describe("a provider fault", () => {
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
  ])("%o once: the retry succeeds", async (fault) => {
    await using server = await startOpenAiServer();
    server.failNext(fault);
    expect((await readReply(modelsOn(server))).text).toContain("lighthouse");
    expect(server.requests).toHaveLength(2);
  });

  it("is retried after a short Retry-After", async () => {
    await using server = await startOpenAiServer();
    vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
    const inTwoSeconds = new Date(Date.now() + 2_000).toUTCString();
    for (const retryAfter of [2, inTwoSeconds, "2.0"]) {
      const pauses: unknown[] = [];
      const before = server.requests.length;
      const sleep = async <T>(pause?: number, value?: T) => {
        await delay(20);
        // The retry waits for the end of the pause.
        pauses.push(pause, server.requests.length - before);
        return value as T;
      };
      server.failNext({ status: 429, retryAfter });
      expect((await readReply(modelsOn(server, {}, { sleep }))).text).toContain("lighthouse");
      expect(pauses).toEqual([2_000, 1]);
    }
    expect(server.requests).toHaveLength(6);
    vi.useRealTimers();
  });

  it("is not retried after a long Retry-After, which the error carries", async () => {
    await using server = await startOpenAiServer();
    server.failNext({ status: 429, retryAfter: 30 }, { status: 503, retryAfter: 999_999 });
    expect((await failure(readReply(modelsOn(server)))).retryAfter).toBe(30);
    expect((await failure(readReply(modelsOn(server)))).retryAfter).toBe(3_600);
    expect(server.requests).toHaveLength(2);
    server.failNext({ status: 429, retryAfter: "soon" });
    expect((await readReply(modelsOn(server))).text).toContain("lighthouse");
  });

  it("of a fold is retried after 503 and not after a 4xx", async () => {
    await using server = await startOpenAiServer();
    for (const status of [400, 408, 429]) {
      server.failNext({ status });
      await failure(readReply(modelsOn(server), modelRequest({ route: "summary" })));
    }
    expect(server.requests).toHaveLength(3);
    server.failNext({ status: 503 });
    await readReply(modelsOn(server), modelRequest({ route: "summary" }));
    expect(server.requests).toHaveLength(5);
  });

  it("after the first token is not retried", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAiServer({
      reply: async function* () {
        yield "It is ";
        await gate.promise;
        throw new Error("breaks the line");
      },
    });
    const stream = modelsOn(server).stream(modelRequest());
    expect((await stream.next()).value).toBe("It is ");
    gate.resolve();
    expect((await failure(stream.next())).code).toBe("provider_failed");
    expect(server.requests).toHaveLength(1);
  });

  it("of a refused connection is an outage", async () => {
    const server = await startOpenAiServer();
    await server.close();
    const error = await failure(readReply(modelsOn(server)));
    expect(error).toMatchObject({ code: "provider_failed", cause: { status: null, outage: true } });
  });

  it("of a broken connection is provider_failed", async () => {
    await using server = await startOpenAiServer({ fault: () => "cut" });
    expect((await failure(readReply(modelsOn(server)))).code).toBe("provider_failed");
  });

  it("of an endless reply cancels the call and is no outage", async () => {
    await using server = await startOpenAiServer({ fault: () => "endless" });
    expect((await failure(readReply(modelsOn(server)))).cause).toMatchObject({ outage: false });
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("of a blank reply is EmptyReply", async () => {
    await using server = await startOpenAiServer({ reply: () => [" ", "\n"] });
    expect((await failure(readReply(modelsOn(server)))).cause).toMatchObject({
      name: "EmptyReply",
    });
  });

  it("of a redirect is not followed", async () => {
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

  it("exposes neither prompt, key nor the provider's text to caller, log or console", async () => {
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

  it("ends a call without a response, and prevents the retry", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    const request = await server.received(1);
    vi.advanceTimersByTime(1000);
    expect((await error).code).toBe("provider_timeout");
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a call with response headers only", async () => {
    await using server = await startOpenAiServer({ fault: () => "silent" });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    const request = await server.received(1);
    vi.advanceTimersByTime(1000);
    expect(await error).toMatchObject({ code: "provider_timeout", cause: { outage: true } });
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a reply that stalls", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const stream = modelsOn(server, { timeoutMs: 1000 }).stream(modelRequest());
    await stream.next();
    vi.advanceTimersByTime(1000);
    expect((await failure(stream.next())).code).toBe("provider_timeout");
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("is cut short after 20 s of silence in a reply", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const stream = modelsOn(server).stream(modelRequest());
    await stream.next();
    vi.advanceTimersByTime(20_000);
    const error = await failure(stream.next());
    expect(error).toMatchObject({ code: "provider_timeout", cause: { outage: true } });
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("applies in full to silence before the first token", async () => {
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

  it("can be set per route, and so can the output limit", async () => {
    await using server = await startOpenAiServer({
      fault: ({ model }) => (model === "vision-model" ? "hang" : undefined),
    });
    const models = modelsOn(server, {
      vision: "openai-compatible:vision-model",
      timeoutMs: 5_000,
      limits: { text: { maxOutputTokens: 300 }, vision: { timeoutMs: 1_000 } },
    });
    expect(models.longestCallMs).toBe(10_000);
    const error = failure(readReply(models, modelRequest({ route: "vision" })));
    await server.received(1);
    vi.advanceTimersByTime(1_000);
    expect((await error).code).toBe("provider_timeout");
    for (const route of ["text", "summary"] as const)
      await readReply(models, modelRequest({ route }));
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([undefined, 300, 300]);
  });

  it("covers call and retry together", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    server.failNext({ status: 500 });
    const error = failure(readReply(modelsOn(server, { timeoutMs: 1000 })));
    await server.received(1);
    // The retry follows after a delay of 0 ms. The fake clock must advance to end that delay.
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
      readReply(modelsOn(server, { timeoutMs: 1000 }), modelRequest({ deepThink: true })),
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
