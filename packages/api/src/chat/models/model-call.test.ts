import { describe, expect, it } from "vitest";
import { SECRET_REASONING, startOpenAiServer } from "../../testing/openai-server.ts";
import { ask, modelsOn, readReply } from "./models.fixture.ts";

describe("a reply from a provider", () => {
  it("comes in pieces, made from the instructions, with what it cost", async () => {
    await using server = await startOpenAiServer();
    const reply = await readReply(modelsOn(server));
    expect(reply.text).toBe(
      "My soul says “You are a lighthouse keeper. PROMPT-SECRET”. You said “Is it dark?”.",
    );
    expect(reply.pieces.length).toBeGreaterThan(2);
    expect(reply.usage).toEqual({
      provider: "openai-compatible",
      model: "text-model",
      inputTokens: 11,
      outputTokens: Math.ceil(reply.text.length / 4),
    });
    const [request] = server.requests;
    expect(request?.authorization).toBe("Bearer sk-KEY-SECRET");
    expect(request?.stream).toBe(true);
    expect(request?.reasoningEffort).toBeUndefined();
    expect(request?.messages).toEqual([{ role: "user", content: "Is it dark?", images: [] }]);
  });

  it("hands out each piece as soon as it comes", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAiServer({
      reply: async function* () {
        yield "It is ";
        await gate.promise;
        yield "dark.";
      },
    });
    const stream = modelsOn(server).stream(ask());
    expect(await stream.next()).toEqual({ done: false, value: "It is " });
    gate.resolve();
    expect(await stream.next()).toEqual({ done: false, value: "dark." });
    expect((await stream.next()).done).toBe(true);
  });

  it("keeps the conversation's order and passes an image on as it is", async () => {
    await using server = await startOpenAiServer();
    await readReply(
      modelsOn(server, { vision: "openai-compatible:vision-model" }),
      ask({
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

  it("sends no empty text beside an image", async () => {
    await using server = await startOpenAiServer();
    const image = { mediaType: "image/gif", data: Buffer.from("gif!") };
    await readReply(modelsOn(server), ask({ messages: [{ role: "user", content: "", image }] }));
    expect(server.requests[0]?.body.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: [{ type: "image_url" }] },
    ]);
  });

  it("thinks hard when asked to, and never shows the thoughts", async () => {
    await using server = await startOpenAiServer();
    const reply = await readReply(modelsOn(server), ask({ deepThink: true }));
    expect(server.requests[0]?.reasoningEffort).toBe("high");
    expect(reply.text).toContain("My soul says");
    expect(reply.text).not.toContain(SECRET_REASONING);
  });

  it("drops thoughts that a local server leaves in the text", async () => {
    await using server = await startOpenAiServer({
      reply: () => ["<thi", "nk>hm, ", "dark</think>", "It is dark."],
    });
    expect((await readReply(modelsOn(server))).text.trim()).toBe("It is dark.");
  });
});

describe("routes", () => {
  it("fall back to the text model where they have none of their own", async () => {
    await using server = await startOpenAiServer();
    const models = modelsOn(server, { premium: "openai-compatible:premium-model" });
    for (const route of ["text", "vision", "premium", "summary"] as const)
      await readReply(models, ask({ route }));
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

describe("a caller who goes", () => {
  it("cancels the provider call before the first token, and gets its own reason back", async () => {
    await using server = await startOpenAiServer({ fault: () => "hang" });
    const caller = new AbortController();
    const reply = readReply(modelsOn(server), ask({ signal: caller.signal }));
    const request = await server.received(1);
    const reason = new Error("gone");
    caller.abort(reason);
    await expect(reply).rejects.toBe(reason);
    expect(await request.ended).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });

  it("cancels the provider call in the middle of the reply", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    const caller = new AbortController();
    const stream = modelsOn(server).stream(ask({ signal: caller.signal }));
    await stream.next();
    const reason = new Error("gone");
    caller.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });

  it("never reaches the provider when it went before the call", async () => {
    await using server = await startOpenAiServer();
    await expect(
      readReply(modelsOn(server), ask({ signal: AbortSignal.abort("early") })),
    ).rejects.toBe("early");
    expect(server.requests).toHaveLength(0);
  });

  it("stops the provider by no longer reading", async () => {
    await using server = await startOpenAiServer({ fault: () => "stall" });
    for await (const piece of modelsOn(server).stream(ask())) {
      expect(piece).not.toBe("");
      break;
    }
    expect(await server.requests[0]?.ended).toBe("cancelled");
  });
});
