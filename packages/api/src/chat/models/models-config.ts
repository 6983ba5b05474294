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
  /** Milliseconds for a whole call, where a route has none of its own; deep think gets twice that. */
  timeoutMs: number;
  /** What routes have of their own. */
  limits?: Partial<
    Record<ModelRoute, { [Limit in keyof RouteLimits]?: RouteLimits[Limit] | undefined }>
  >;
}

/** How long a call of a route may take, and how much it may say. */
export interface RouteLimits {
  timeoutMs: number;
  /** Sent to the provider, which then ends the reply. Without it as much as the provider gives. */
  maxOutputTokens?: number | undefined;
}

/** Decisions §5: the time limit of deep think is twice that of its route. */
export const DEEP_THINK_TIMES = 2;

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
  return {
    text: read("text"),
    vision: read("vision"),
    premium: read("premium"),
    summary: read("summary"),
  };
}

/** One hour. Beyond 2^31 a timer of Node fires at once, and deep think doubles this. */
const MAX_TIMEOUT_MS = 3_600_000;

/**
 * The limits of every route: its own, else, where the text model answers for it, those of the text
 * route, else the default.
 * @throws ModelConfigError naming the variable at fault, with an example
 */
export function readRouteLimits(config: ModelsConfig): Record<ModelRoute, RouteLimits> {
  const { limits = {} } = config;
  const read = (route: ModelRoute): RouteLimits => {
    const own = limits[route] ?? {};
    const inherited = config[route] === null ? (limits.text ?? {}) : {};
    const timeoutMs = own.timeoutMs ?? inherited.timeoutMs ?? config.timeoutMs;
    const variable = own.timeoutMs ? `${variables[route]}_TIMEOUT_MS` : "MODEL_TIMEOUT_MS";
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
      throw new ModelConfigError(
        variable,
        `must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}. Example: ${variable}=60000`,
      );
    }
    return { timeoutMs, maxOutputTokens: own.maxOutputTokens ?? inherited.maxOutputTokens };
  };
  return {
    text: read("text"),
    vision: read("vision"),
    premium: read("premium"),
    summary: read("summary"),
  };
}

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
