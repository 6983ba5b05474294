import { describe, expect, it } from "vitest";
import { parseModelId } from "./model-id.ts";
import type { ModelsConfig } from "./models-config.ts";
import { readModelsConfig, readRouteLimits } from "./models-config.ts";

const nothing: ModelsConfig = {
  text: null,
  vision: null,
  premium: null,
  summary: null,
  keys: {},
  openaiCompatible: {},
  timeoutMs: 60_000,
};

describe("a model id", () => {
  it.each([
    ["openai:gpt-5-mini", "openai", "gpt-5-mini"],
    ["openai-compatible:llama3.2:3b", "openai-compatible", "llama3.2:3b"],
    ["openai-compatible:org/model-name", "openai-compatible", "org/model-name"],
    ["offline", "offline", "offline"],
  ])("%s is parsed", (text, provider, model) => {
    expect(parseModelId(text)).toEqual({ provider, model });
  });

  it.each([
    "",
    "gpt-5",
    "openai",
    "openai:",
    "OpenAI:gpt-5",
    "toString:x",
    "google:../x",
    "openai:a b",
    "azure:gpt",
  ])("%o is refused, with the variable and an example", (text) => {
    expect(() => parseModelId(text, "VISION_MODEL")).toThrow(
      expect.objectContaining({
        name: "ModelConfigError",
        variable: "VISION_MODEL",
        message: expect.stringMatching(
          /^VISION_MODEL: .* Example: VISION_MODEL=openai:gpt-5-mini$/,
        ),
      }),
    );
  });
});

describe("the configuration of the models", () => {
  it("is offline by default", () => {
    expect(readModelsConfig(nothing)).toEqual({
      text: { provider: "offline", model: "offline" },
      vision: null,
      premium: null,
      summary: null,
    });
  });

  it.each([
    [{ text: "openai:m" }, "OPENAI_API_KEY"],
    [{ vision: "anthropic:m" }, "ANTHROPIC_API_KEY"],
    [{ premium: "google:m", keys: { google: " " } }, "GOOGLE_GENERATIVE_AI_API_KEY"],
    [{ summary: "openai-compatible:m" }, "OPENAI_COMPATIBLE_BASE_URL"],
    [
      { text: "openai-compatible:m", openaiCompatible: { baseUrl: "localhost:11434" } },
      "OPENAI_COMPATIBLE_BASE_URL",
    ],
    [
      { text: "openai-compatible:m", openaiCompatible: { baseUrl: "file:///etc" } },
      "OPENAI_COMPATIBLE_BASE_URL",
    ],
    [{ premium: "nonsense" }, "PREMIUM_MODEL"],
  ])("%o is refused with the variable %s", (changes, variable) => {
    expect(() => readModelsConfig({ ...nothing, ...changes })).toThrow(
      expect.objectContaining({
        variable,
        message: expect.stringContaining(`Example: ${variable}=`),
      }),
    );
  });

  it("contains no key in an error message", () => {
    const config = { ...nothing, text: "nonsense", keys: { openai: "sk-secret" } };
    expect(() => readModelsConfig(config)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("sk-secret") }),
    );
  });
});

describe("the limits of a route", () => {
  const limits = {
    text: { timeoutMs: 30_000, maxOutputTokens: 900 },
    premium: { maxOutputTokens: 4_000 },
  };

  it("are its own, else those of the text model it uses, else MODEL_TIMEOUT_MS", () => {
    const config = { ...nothing, text: "offline", premium: "offline", limits };
    expect(readRouteLimits(config)).toEqual({
      text: { timeoutMs: 30_000, maxOutputTokens: 900 },
      vision: { timeoutMs: 30_000, maxOutputTokens: 900 },
      premium: { timeoutMs: 60_000, maxOutputTokens: 4_000 },
      summary: { timeoutMs: 30_000, maxOutputTokens: 900 },
    });
    expect(readRouteLimits(nothing).vision).toEqual({ timeoutMs: 60_000 });
  });

  it.each([
    [{ timeoutMs: 0 }, "MODEL_TIMEOUT_MS"],
    [{ timeoutMs: 2 ** 31 }, "MODEL_TIMEOUT_MS"],
    [{ limits: { vision: { timeoutMs: 2 ** 31 } } }, "VISION_MODEL_TIMEOUT_MS"],
    [{ limits: { text: { timeoutMs: 0.5 } } }, "TEXT_MODEL_TIMEOUT_MS"],
  ])("%o is refused with the variable %s", (changes, variable) => {
    expect(() => readRouteLimits({ ...nothing, ...changes })).toThrow(
      expect.objectContaining({
        variable,
        message: expect.stringContaining(`Example: ${variable}=`),
      }),
    );
  });
});
