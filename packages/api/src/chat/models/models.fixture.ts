import type { OpenAiServer } from "../../testing/openai-server.ts";
import type { ModelEnd, ModelPort, ModelRequest } from "./model-port.ts";
import type { ModelsOptions } from "./models.ts";
import { createModels } from "./models.ts";
import type { ModelsConfig } from "./models-config.ts";

const INSTRUCTIONS = "You are a lighthouse keeper. PROMPT-SECRET";

/** The platform's API key at the local provider. */
export const PLATFORM_KEY = "sk-KEY-SECRET";

export function configFor(server: OpenAiServer, changes: Partial<ModelsConfig> = {}): ModelsConfig {
  return {
    text: "openai-compatible:text-model",
    vision: null,
    premium: null,
    summary: null,
    keys: {},
    openaiCompatible: { baseUrl: server.url, apiKey: PLATFORM_KEY },
    timeoutMs: 60_000,
    ...changes,
  };
}

export function modelsOn(
  server: OpenAiServer,
  changes: Partial<ModelsConfig> = {},
  options: ModelsOptions = {},
): ModelPort {
  return createModels(configFor(server, changes), { retryDelayMs: 0, ...options });
}

export function modelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    route: "text",
    instructions: INSTRUCTIONS,
    messages: [{ role: "user", content: "Is it dark?" }],
    deepThink: false,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Reads the reply of a model to its end. */
export async function readReply(
  models: ModelPort,
  request: ModelRequest = modelRequest(),
): Promise<{ text: string; pieces: string[]; usage: ModelEnd }> {
  const stream = models.stream(request);
  const pieces: string[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { text: pieces.join(""), pieces, usage: next.value };
    pieces.push(next.value);
  }
}
