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
    [{ status: 404 }, "AI_APICallError", 404, 1],
    [{ status: 409 }, "AI_APICallError", 409, 1],
    [{ status: 408 }, "AI_APICallError", 408, 2],
    [{ status: 429 }, "AI_APICallError", 429, 2],
    [{ status: 500 }, "AI_APICallError", 500, 2],
    [{ status: 503, body: "<html>down</html>" }, "AI_APICallError", 503, 2],
    ["reset", "AI_APICallError", null, 2],
    ["html", "AI_InvalidResponseDataError", null, 1],
    ["half", "AI_InvalidResponseDataError", null, 1],
    ["error-chunk", "AI_StreamProviderError", null, 1],
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

  it.each<ServerFault>([{ status: 429 }, { status: 500 }, "reset"])(
    "%o once: the second call answers",
    async (fault) => {
      await using server = await startOpenAiServer();
      server.failNext(fault);
      expect((await readReply(modelsOn(server))).text).toContain("lighthouse");
      expect(server.requests).toHaveLength(2);
    },
  );

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

  it("ends a reply that stalls half-way", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const stream = modelsOn(server, { timeoutMs: 1000 }).stream(ask());
    await stream.next();
    vi.advanceTimersByTime(1000);
    expect((await failure(stream.next())).code).toBe("provider_timeout");
    expect(await server.requests[0]?.ended).toBe("cancelled");
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
