import { afterEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import type { ServerFault } from "../../testing/openai-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { ask, modelsOn, readReply } from "./models.fixture.ts";

async function hubWith(fault: () => ServerFault | undefined, reply?: () => AsyncIterable<string>) {
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
    if (!(error instanceof HubError)) throw new Error("the call should have failed");
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

describe("five failures in a row", () => {
  it("keep the next call away for ten seconds and say when to come back", async () => {
    await using hub = await hubWith(() => "html");
    await hub.failTimes(5);
    hub.pass(500);
    const refused = await hub.fail();
    expect(refused.code).toBe("provider_failed");
    expect(refused.retryAfter).toBe(10);
    expect(refused.cause).toMatchObject({ name: "BreakerOpen" });
    hub.pass(9_499);
    expect((await hub.fail()).retryAfter).toBe(1);
    expect(hub.server.requests).toHaveLength(5);
  });

  it("let one call through after ten seconds; when it fails too the door closes at once", async () => {
    await using hub = await hubWith(() => "html");
    await hub.failTimes(5);
    hub.pass(10_000);
    expect((await hub.fail()).retryAfter).toBeUndefined();
    expect((await hub.fail()).retryAfter).toBe(10);
    expect(hub.server.requests).toHaveLength(6);
  });

  it("do not touch another provider", async () => {
    await using hub = await hubWith(() => (hub.server.requests.length <= 5 ? "html" : undefined));
    await hub.failTimes(6);
    expect((await readReply(hub.models, ask({ route: "premium" }))).usage.provider).toBe("openai");
  });

  it("count a call with its second attempt once", async () => {
    await using hub = await hubWith(() => ({ status: 500 }));
    await hub.failTimes(5);
    expect(hub.server.requests).toHaveLength(10);
    await hub.fail();
    expect(hub.server.requests).toHaveLength(10);
  });
});

describe("the one call that tries", () => {
  it("keeps the others away until the provider begins to answer it", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using hub = await hubWith(
      () => (hub.server.requests.length <= 5 ? "html" : undefined),
      async function* () {
        await gates[0]?.promise;
        yield "It is ";
        await gates[1]?.promise;
        yield "dark.";
      },
    );
    await hub.failTimes(5);
    hub.pass(10_000);
    const trial = hub.models.stream(ask());
    const firstWords = trial.next();
    await hub.server.received(6);
    expect(await hub.fail()).toMatchObject({ retryAfter: 1, cause: { name: "BreakerOpen" } });
    gates[0]?.resolve();
    await firstWords;
    const other = hub.models.stream(ask());
    expect((await other.next()).value).toBe("It is ");
    gates[1]?.resolve();
    while (!(await trial.next()).done);
    expect(hub.server.requests).toHaveLength(7);
  });

  it("leaves its turn to the next when its caller goes, or its prompt is refused", async () => {
    const faults: ServerFault[] = [...Array<ServerFault>(5).fill("html"), "hang", { status: 400 }];
    await using hub = await hubWith(() => faults.shift());
    await hub.failTimes(5);
    hub.pass(10_000);
    const caller = new AbortController();
    const reply = readReply(hub.models, ask({ signal: caller.signal }));
    await hub.server.received(6);
    caller.abort("gone");
    await expect(reply).rejects.toBe("gone");
    expect((await hub.fail()).cause).toMatchObject({ status: 400 });
    expect((await readReply(hub.models)).text).not.toBe("");
  });
});

describe("calls under way when it opens", () => {
  it("do not keep it open", async () => {
    const gate = Promise.withResolvers<void>();
    await using hub = await hubWith(
      () => (hub.server.requests.length === 1 ? undefined : "html"),
      async function* () {
        yield "It is ";
        await gate.promise;
        throw new Error("breaks the line");
      },
    );
    const slow = hub.models.stream(ask());
    await slow.next();
    await hub.failTimes(5);
    hub.pass(9_000);
    gate.resolve();
    await expect(slow.next()).rejects.toMatchObject({ code: "provider_failed" });
    hub.pass(1_000);
    await hub.fail();
    expect(hub.server.requests).toHaveLength(7);
  });
});

describe("a time limit that ran out", () => {
  afterEach(() => void vi.useRealTimers());

  it("counts when nothing came at all", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using hub = await hubWith(() => "hang");
    for (let n = 1; n <= 5; n++) {
      const failed = hub.fail();
      await hub.server.received(n);
      vi.advanceTimersByTime(60_000);
      expect((await failed).code).toBe("provider_timeout");
    }
    expect((await hub.fail()).cause).toMatchObject({ name: "BreakerOpen" });
  });

  it("does not when a long reply was being written", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const word = { said: () => {} };
    await using hub = await hubWith(
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
      const stream = hub.models.stream(ask());
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

describe("what is no outage", () => {
  it("a success begins the row anew", async () => {
    await using hub = await hubWith(() => (hub.server.requests.length === 5 ? undefined : "html"));
    await hub.failTimes(4);
    await readReply(hub.models);
    await hub.failTimes(5);
    expect(hub.server.requests).toHaveLength(10);
  });

  it.each<ServerFault>([{ status: 400 }, { status: 404 }, "empty", "filtered"])(
    "%o: one person's prompt can't close the provider for all",
    async (fault) => {
      await using hub = await hubWith(() => fault);
      await hub.failTimes(6);
      expect(hub.server.requests).toHaveLength(6);
    },
  );

  it("callers who go do not count", async () => {
    await using hub = await hubWith(() => (hub.server.requests.length <= 6 ? "hang" : undefined));
    for (let n = 1; n <= 6; n++) {
      const caller = new AbortController();
      const reply = readReply(hub.models, ask({ signal: caller.signal }));
      await hub.server.received(n);
      caller.abort("gone");
      await expect(reply).rejects.toBe("gone");
    }
    expect((await readReply(hub.models)).text).not.toBe("");
  });
});
