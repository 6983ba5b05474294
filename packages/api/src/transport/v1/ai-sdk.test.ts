import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { chatKeyOf, startV1Hub, type V1Hub } from "./v1.fixture.ts";

const lastRole = ({ messages }: SeenRequest) => messages.at(-1)?.role;
const wantsJson = ({ body }: SeenRequest) => body.response_format !== undefined;

/** The AI SDK calls souls through its two OpenAI packages (0051). */
describe("the AI SDK", () => {
  let hub: V1Hub;
  let apiKey: string;
  beforeAll(async () => {
    hub = await startV1Hub({
      provider: {
        toolCalls: (request) =>
          Array.isArray(request.body.tools) && lastRole(request) !== "tool"
            ? [{ id: "call-1", name: "tide", arguments: '{"at":"noon"}' }]
            : [],
        reply: (request) => {
          if (wantsJson(request)) return '{"height":3}';
          if (lastRole(request) === "tool") return `The tide: ${request.messages.at(-1)?.content}.`;
          return Array.isArray(request.body.tools) ? "" : "It is dark.";
        },
      },
    });
    ({ apiKey } = await chatKeyOf(hub, hub.vera));
  });
  afterAll(() => hub.close());

  const tide = tool({
    description: "Reads the tide.",
    inputSchema: jsonSchema<{ at: string }>({
      type: "object",
      properties: { at: { type: "string" } },
      required: ["at"],
    }),
    execute: async ({ at }) => `high at ${at}`,
  });

  const compatible = () =>
    createOpenAICompatible({
      name: "soul-hub",
      apiKey,
      baseURL: `${hub.url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(hub.model);
  /** The default model of this package calls /v1/responses. */
  const responses = () => createOpenAI({ apiKey, baseURL: `${hub.url}/v1` })(hub.model);

  describe.each([
    ["openai-compatible", compatible],
    ["openai, by responses", responses],
  ])("%s", (_, model) => {
    it("streams to the end, with the usage", async () => {
      const streamed = streamText({ model: model(), prompt: "Is it dark?" });
      expect(await streamed.text).toBe("It is dark.");
      expect(await streamed.finishReason).toBe("stop");
      expect((await streamed.usage).inputTokens).toBe(11);
    });

    it("answers whole", async () => {
      const { text } = await generateText({ model: model(), prompt: "Is it dark?" });
      expect(text).toBe("It is dark.");
    });

    it("runs a tool, whose result the soul reads", async () => {
      const streamed = streamText({
        model: model(),
        prompt: "How is the tide?",
        tools: { tide },
        stopWhen: stepCountIs(3),
      });
      expect(await streamed.text).toBe("The tide: high at noon.");
      const steps = await streamed.steps;
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
      const [offered, answered] = hub.provider.requests.slice(-2);
      expect(offered?.body.tools).toMatchObject([
        { type: "function", function: { name: "tide", description: "Reads the tide." } },
      ]);
      expect(offered?.system).toContain("The app offers you tools");
      expect(answered?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    });

    it("gets JSON by a schema", async () => {
      const schema = jsonSchema<{ height: number }>({
        type: "object",
        properties: { height: { type: "number" } },
        required: ["height"],
        additionalProperties: false,
      });
      const { output } = await generateText({
        model: model(),
        prompt: "How high is the tide?",
        output: Output.object({ schema }),
      });
      expect(output).toEqual({ height: 3 });
      expect(hub.provider.requests.at(-1)?.body.response_format).toMatchObject({
        type: "json_schema",
        json_schema: { schema: { required: ["height"] } },
      });
    });

    it("gets a failure midway", async () => {
      hub.provider.failNext("cut");
      const errors: unknown[] = [];
      const streamed = streamText({
        model: model(),
        prompt: "Is it dark?",
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });
      await streamed.consumeStream();
      expect(errors.length).toBeGreaterThan(0);
    });
  });
});
