import { describe, expect, it } from "vitest";
import { SECRET_REASONING, startOpenAiServer } from "../../testing/openai-server.ts";
import { modelRequest, modelsOn, readReply } from "./models.fixture.ts";

describe("a reply from a provider", () => {
  it("has its token counts", async () => {
    await using server = await startOpenAiServer();
    const reply = await readReply(modelsOn(server));
    expect(reply.text).toBe(
      "My soul says “You are a lighthouse keeper. PROMPT-SECRET”. You said “Is it dark?”.",
    );
    expect(reply.usage).toEqual({
      provider: "openai-compatible",
      model: "text-model",
      inputTokens: 11,
      outputTokens: Math.ceil(reply.text.length / 4),
      finish: "stop",
      toolCalls: [],
    });
    const [request] = server.requests;
    expect(request?.authorization).toBe("Bearer sk-KEY-SECRET");
    expect(request?.stream).toBe(true);
    expect(request?.reasoningEffort).toBeUndefined();
    expect(request?.messages).toEqual([{ role: "user", content: "Is it dark?", images: [] }]);
  });

  it("yields each piece when it arrives", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAiServer({
      reply: async function* () {
        yield "It is ";
        await gate.promise;
        yield "dark.";
      },
    });
    const stream = modelsOn(server).stream(modelRequest());
    expect(await stream.next()).toEqual({ done: false, value: "It is " });
    gate.resolve();
    expect(await stream.next()).toEqual({ done: false, value: "dark." });
    expect((await stream.next()).done).toBe(true);
  });

  it("sends the messages in order, and an image unchanged", async () => {
    await using server = await startOpenAiServer();
    await readReply(
      modelsOn(server, { vision: "openai-compatible:vision-model" }),
      modelRequest({
        route: "vision",
        messages: [
          { role: "user", content: "Hello" },
          { role: "assistant", content: "Ahoy" },
          {
            role: "user",
            content: "What is this?",
            image: { mediaType: "image/png", data: Buffer.from("png!") },
          },
        ],
      }),
    );
    expect(server.requests[0]?.model).toBe("vision-model");
    expect(server.requests[0]?.messages).toEqual([
      { role: "user", content: "Hello", images: [] },
      { role: "assistant", content: "Ahoy", images: [] },
      { role: "user", content: "What is this?", images: ["data:image/png;base64,cG5nIQ=="] },
    ]);
  });

  it("sends no empty text part with an image", async () => {
    await using server = await startOpenAiServer();
    const image = { mediaType: "image/gif", data: Buffer.from("gif!") };
    await readReply(
      modelsOn(server),
      modelRequest({ messages: [{ role: "user", content: "", image }] }),
    );
    expect(server.requests[0]?.body.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: [{ type: "image_url" }] },
    ]);
  });

  it("requests high effort for deep think and yields no reasoning", async () => {
    await using server = await startOpenAiServer();
    const reply = await readReply(modelsOn(server), modelRequest({ deepThink: true }));
    expect(server.requests[0]?.reasoningEffort).toBe("high");
    expect(reply.text).toContain("My soul says");
    expect(reply.text).not.toContain(SECRET_REASONING);
  });

  it("drops reasoning that a local server puts into the text", async () => {
    await using server = await startOpenAiServer({
      reply: () => ["<thi", "nk>hm, ", "dark</think>", "It is dark."],
    });
    expect((await readReply(modelsOn(server))).text.trim()).toBe("It is dark.");
  });

  it("contains no NUL, and a reply of NUL alone is empty", async () => {
    const replies = [
      ["It \0is", "\0", " dark."],
      ["\0", "\0\0"],
    ];
    await using server = await startOpenAiServer({ reply: () => replies.shift() ?? "" });
    const models = modelsOn(server);
    expect((await readReply(models)).text).toBe("It is dark.");
    await expect(readReply(models)).rejects.toMatchObject({
      code: "provider_failed",
      cause: { name: "EmptyReply" },
    });
  });
});

describe("routes", () => {
  it("without a model of their own use the text model", async () => {
    await using server = await startOpenAiServer();
    const models = modelsOn(server, { premium: "openai-compatible:premium-model" });
    for (const route of ["text", "vision", "premium", "summary"] as const)
      await readReply(models, modelRequest({ route }));
    expect(server.requests.map(({ model }) => model)).toEqual([
      "text-model",
      "text-model",
      "premium-model",
      "text-model",
    ]);
    expect(models.routes).toEqual({
      text: "openai-compatible:text-model",
      vision: null,
      premium: "openai-compatible:premium-model",
      summary: null,
    });
  });
});

describe("cancellation", () => {
  it("before the first token cancels the provider call and throws the signal's reason", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    const caller = new AbortController();
    const reply = readReply(modelsOn(server), modelRequest({ signal: caller.signal }));
    const request = await server.received(1);
    const reason = new Error("gone");
    caller.abort(reason);
    await expect(reply).rejects.toBe(reason);
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("during the reply cancels the provider call", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const caller = new AbortController();
    const stream = modelsOn(server).stream(modelRequest({ signal: caller.signal }));
    await stream.next();
    const reason = new Error("gone");
    caller.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("before the call prevents the request", async () => {
    await using server = await startOpenAiServer();
    await expect(
      readReply(modelsOn(server), modelRequest({ signal: AbortSignal.abort("early") })),
    ).rejects.toBe("early");
    expect(server.requests).toHaveLength(0);
  });

  it("by a consumer that stops reading cancels the provider call", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    for await (const piece of modelsOn(server).stream(modelRequest())) {
      expect(piece).not.toBe("");
      break;
    }
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });
});
