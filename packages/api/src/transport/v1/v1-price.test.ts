import { describe, expect, it } from "vitest";
import { describeV1, errorOf, unitsLeft } from "./v1.fixture.ts";

/** What a call of `/v1` costs (0051). */
describeV1("the price of a call of /v1", (hub, key) => {
  const question = { role: "user", content: "Is it dark?" };
  const ask = (more: object = {}) =>
    key.post("/v1/chat/completions", { model: hub.model, messages: [question], ...more });

  describe("counts units by length", () => {
    // A vip may send 8,000 characters with a message.
    it.each([
      [8_000, 1],
      [8_001, 2],
      [32_000, 4],
    ])("%i characters cost %i", async (chars, units) => {
      const before = await unitsLeft(hub.vera);
      const messages = [{ role: "user", content: "x".repeat(chars) }];
      expect((await ask({ messages })).status).toBe(200);
      expect(await unitsLeft(hub.vera)).toBe(before - units);
    });

    it("and refuses a longer call", async () => {
      const messages = [{ role: "user", content: "x".repeat(32_001) }];
      expect(errorOf(await ask({ messages }))).toEqual([400, "context_length_exceeded"]);
    });

    it("of JSON schemas, too", async () => {
      const before = await unitsLeft(hub.vera);
      const json_schema = { name: "tide", schema: { description: "y".repeat(8_000) } };
      const format = { response_format: { type: "json_schema", json_schema } };
      expect((await ask(format)).status).toBe(200);
      expect(await unitsLeft(hub.vera)).toBe(before - 2);
    });

    it.each<[string, object]>([
      [
        "a schema's description",
        {
          response_format: {
            type: "json_schema",
            json_schema: { name: "tide", description: "y".repeat(8_000) },
          },
        },
      ],
      [
        "names and ids of called tools",
        {
          messages: [
            question,
            {
              role: "assistant",
              tool_calls: Array.from({ length: 20 }, () => ({
                id: "i".repeat(200),
                type: "function",
                function: { name: "n".repeat(200), arguments: "{}" },
              })),
            },
            question,
          ],
        },
      ],
    ])("of %s, too", async (_, call) => {
      const before = await unitsLeft(hub.vera);
      expect((await ask(call)).status).toBe(200);
      expect(await unitsLeft(hub.vera)).toBe(before - 2);
    });

    it("of tools, too, and multiplies them with deep think", async () => {
      const before = await unitsLeft(hub.vera);
      const described = { name: "tide", description: "y".repeat(8_000) };
      const tools = [{ type: "function", function: described }];
      expect((await ask({ tools, reasoning_effort: "high" })).status).toBe(200);
      expect(await unitsLeft(hub.vera)).toBe(before - 2 * 5);
      expect(hub.provider.requests.at(-1)?.reasoningEffort).toBe("high");
    });
  });

  it("refuses a call that no provider can take, and gives its units back", async () => {
    const before = await unitsLeft(hub.vera);
    const deep = "[".repeat(15_000) + "]".repeat(15_000);
    const called = { id: "call_1", type: "function", function: { name: "tide", arguments: deep } };
    const messages = [{ role: "assistant", tool_calls: [called] }, question];
    expect(errorOf(await ask({ messages }))).toEqual([400, "invalid_input"]);
    expect(await unitsLeft(hub.vera)).toBe(before);
  });
});
