import type { ModelId, RemoteProvider } from "./model-id.ts";
import { ModelConfigError, parseModelId, requiredVariables } from "./model-id.ts";
import type { ModelRoute } from "./model-port.ts";

/** The configuration of all models, which the server reads from its environment. */
export interface ModelsConfig {
  /** The text model as `provider:model`; null selects the built-in provider `offline`. */
  text: string | null;
  /** A route without a model of its own (null) uses that of `text`. */
  vision: string | null;
  premium: string | null;
  summary: string | null;
  keys: {
    openai?: string | undefined;
    anthropic?: string | undefined;
    google?: string | undefined;
  };
  openaiCompatible: { baseUrl?: string | undefined; apiKey?: string | undefined };
  /** Default time limit of a call in milliseconds. Deep think gets twice the limit. */
  timeoutMs: number;
  /** Time and output limits of single routes, which override the defaults. */
  limits?: Partial<
    Record<ModelRoute, { [Limit in keyof RouteLimits]?: RouteLimits[Limit] | undefined }>
  >;
}

export interface RouteLimits {
  timeoutMs: number;
  /**
   * Maximum number of output tokens, sent to the provider. If omitted, the provider's own limit
   * applies.
   */
  maxOutputTokens?: number | undefined;
}

/** Factor on a route's time limit for deep think (decisions §5, Provider). */
export const DEEP_THINK_TIMES = 2;

const variableOf = (route: ModelRoute): string => `${route.toUpperCase()}_MODEL`;

export const forEachRoute = <Value>(
  read: (route: ModelRoute) => Value,
): Record<ModelRoute, Value> => ({
  text: read("text"),
  vision: read("vision"),
  premium: read("premium"),
  summary: read("summary"),
});

/**
 * Parses the model of every route; null means the text route's model. Requires the key or address
 * of each provider in use.
 * @throws ModelConfigError with the invalid variable and an example
 */
export function readModelsConfig(config: ModelsConfig): Record<ModelRoute, ModelId | null> {
  const read = (route: ModelRoute): ModelId | null => {
    const text = config[route] ?? (route === "text" ? "offline" : null);
    if (text === null) return null;
    const id = parseModelId(text, variableOf(route));
    if (id.provider !== "offline")
      requireAccess(config, id.provider, `${variableOf(route)}=${text}`);
    return id;
  };
  return forEachRoute(read);
}

/**
 * Longest time limit that can be configured. Deep think doubles it. The result stays below 2^31 ms,
 * beyond which Node's timers fire at once.
 */
const MAX_TIMEOUT_MS = 3_600_000;

/**
 * Reads the limits of every route. A route without own limits gets those of the text route if it
 * uses the text model, else the default.
 * @throws ModelConfigError with the invalid variable and an example
 */
export function readRouteLimits(config: ModelsConfig): Record<ModelRoute, RouteLimits> {
  const { limits = {} } = config;
  const read = (route: ModelRoute): RouteLimits => {
    const own = limits[route] ?? {};
    const inherited = config[route] === null ? (limits.text ?? {}) : {};
    const timeoutMs = own.timeoutMs ?? inherited.timeoutMs ?? config.timeoutMs;
    const variable = own.timeoutMs ? `${variableOf(route)}_TIMEOUT_MS` : "MODEL_TIMEOUT_MS";
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
      throw new ModelConfigError(
        variable,
        `must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}. Example: ${variable}=60000`,
      );
    }
    return { timeoutMs, maxOutputTokens: own.maxOutputTokens ?? inherited.maxOutputTokens };
  };
  return forEachRoute(read);
}

function requireAccess(config: ModelsConfig, provider: RemoteProvider, route: string): void {
  const { variable, example } = requiredVariables[provider];
  const isCompatible = provider === "openai-compatible";
  const value = isCompatible ? config.openaiCompatible.baseUrl : config.keys[provider];
  const problem = !value?.trim()
    ? `is required by ${route}`
    : isCompatible && !/^https?:$/.test(URL.parse(value)?.protocol ?? "")
      ? "must be an http or https URL"
      : undefined;
  if (problem) throw new ModelConfigError(variable, `${problem}. Example: ${variable}=${example}`);
}
