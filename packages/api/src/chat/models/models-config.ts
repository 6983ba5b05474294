import type { ModelId, RemoteProvider } from "./model-id.ts";
import { ModelConfigError, parseModelId, variableOf } from "./model-id.ts";
import type { ModelRoute } from "./model-port.ts";

/** How the models are chosen and reached. Plain data: the server reads it from its environment. */
export interface ModelsConfig {
  /** `provider:model`; null is `offline`. */
  text: string | null;
  /** The others fall back to `text` where they are null. */
  vision: string | null;
  premium: string | null;
  summary: string | null;
  keys: {
    openai?: string | undefined;
    anthropic?: string | undefined;
    google?: string | undefined;
  };
  openaiCompatible: { baseUrl?: string | undefined; apiKey?: string | undefined };
  /** Milliseconds for a whole call; deep think gets twice that. */
  timeoutMs: number;
}

const variables: Record<ModelRoute, string> = {
  text: "TEXT_MODEL",
  vision: "VISION_MODEL",
  premium: "PREMIUM_MODEL",
  summary: "SUMMARY_MODEL",
};

const examples: Record<RemoteProvider, string> = {
  openai: "sk-…",
  anthropic: "sk-ant-…",
  google: "AIza…",
  "openai-compatible": "http://localhost:11434/v1",
};

/**
 * Reads the model of every route (null: it falls back to the text route) and checks that each
 * provider in use can be reached.
 * @throws ModelConfigError naming the variable at fault, with an example
 */
export function readModelsConfig(config: ModelsConfig): Record<ModelRoute, ModelId | null> {
  const read = (route: ModelRoute): ModelId | null => {
    const text = config[route] ?? (route === "text" ? "offline" : null);
    if (text === null) return null;
    const id = parseModelId(text, variables[route]);
    if (id.provider !== "offline")
      requireAccess(config, id.provider, `${variables[route]}=${text}`);
    return id;
  };
  const routes = {
    text: read("text"),
    vision: read("vision"),
    premium: read("premium"),
    summary: read("summary"),
  };
  if (
    !Number.isInteger(config.timeoutMs) ||
    config.timeoutMs < 1 ||
    config.timeoutMs > MAX_TIMEOUT_MS
  ) {
    throw new ModelConfigError(
      "MODEL_TIMEOUT_MS",
      `must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}. Example: MODEL_TIMEOUT_MS=60000`,
    );
  }
  return routes;
}

/** One hour. Beyond 2^31 a timer of Node fires at once, and deep think doubles this. */
const MAX_TIMEOUT_MS = 3_600_000;

function requireAccess(config: ModelsConfig, provider: RemoteProvider, wantedBy: string): void {
  const variable = variableOf(provider);
  const value =
    provider === "openai-compatible" ? config.openaiCompatible.baseUrl : config.keys[provider];
  if (!value?.trim()) {
    throw new ModelConfigError(
      variable,
      `is needed by ${wantedBy}. Example: ${variable}=${examples[provider]}`,
    );
  }
  if (provider === "openai-compatible" && !/^https?:$/.test(URL.parse(value)?.protocol ?? "")) {
    throw new ModelConfigError(
      variable,
      `must be an http or https address. Example: ${variable}=${examples[provider]}`,
    );
  }
}
