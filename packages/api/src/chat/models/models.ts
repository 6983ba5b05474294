import { LRUCache } from "lru-cache";
import { type Breaker, createBreaker } from "./breaker.ts";
import { type ModelCall, streamModel } from "./model-call.ts";
import { formatModelId, type RemoteProvider } from "./model-id.ts";
import type { ModelEnd, ModelPort, ModelRequest } from "./model-port.ts";
import type { ModelsConfig } from "./models-config.ts";
import {
  DEEP_THINK_TIMES,
  forEachRoute,
  readModelsConfig,
  readRouteLimits,
} from "./models-config.ts";
import { streamOffline } from "./offline-reply.ts";
import { createClient, type ProviderAccess } from "./provider-client.ts";
import { faultOf, toHubError } from "./provider-fault.ts";

const RETRY_DELAY_MS = 300;
const OFFLINE_PIECE_MS = 40;

export interface ModelsOptions {
  /**
   * Replaces the global `fetch`. Calls with an account's own key need the guarded fetch, others do
   * not.
   */
  fetch?: typeof globalThis.fetch;
  /** One circuit breaker for all these models. If omitted, each provider gets its own. */
  breaker?: Breaker;
  /** The same for the models whose last reply had reasoning without its opening tag. */
  thinkers?: ModelCall["thinkers"];
  /** For tests: the circuit breakers' monotonic clock in milliseconds. */
  now?: () => number;
  retryDelayMs?: number;
  /** For tests: replaces the function that waits before the retry. */
  sleep?: ModelCall["sleep"];
  offlinePieceMs?: number;
  /** For tests: local servers instead of the providers. */
  baseUrls?: Partial<Record<RemoteProvider, string>>;
}

const MAX_THINKERS = 100;

export const createThinkers = (): ModelCall["thinkers"] => new LRUCache({ max: MAX_THINKERS });

/**
 * Creates the configured models.
 * @throws ModelConfigError with the invalid environment variable
 */
export function createModels(config: ModelsConfig, options: ModelsOptions = {}): ModelPort {
  const routes = readModelsConfig(config);
  const limits = readRouteLimits(config);
  const providerOf = memoize((name: RemoteProvider) => ({
    model: memoize(async (model: string) =>
      (await createClient(name, accessTo(name, config, options)))(model),
    ),
    breaker: options.breaker ?? createBreaker(options.now),
    thinkers: options.thinkers ?? createThinkers(),
  }));

  async function* stream(request: ModelRequest): AsyncGenerator<string, ModelEnd, undefined> {
    const called = routes[request.route] ?? routes.text;
    if (!called || called.provider === "offline") {
      return yield* streamOffline(request, options.offlinePieceMs ?? OFFLINE_PIECE_MS);
    }
    const { model, breaker, thinkers } = providerOf(called.provider);
    const pass = breaker.enter();
    if (typeof pass === "number") {
      const facts = { name: "BreakerOpen", status: null, retryable: false, outage: false };
      throw toHubError(called, { ...facts, retryAfterMs: pass });
    }
    const { timeoutMs, maxOutputTokens } = limits[request.route];
    try {
      const usage = yield* streamModel({
        called,
        model: await model(called.model),
        request,
        timeoutMs: request.deepThink ? timeoutMs * DEEP_THINK_TIMES : timeoutMs,
        maxOutputTokens,
        retryDelayMs: options.retryDelayMs ?? RETRY_DELAY_MS,
        sleep: options.sleep,
        // A summary call is never retried after a 4xx response (decisions §5, Memory).
        retries4xx: request.route !== "summary",
        onFirstToken: pass.answering,
        thinkers,
      });
      pass.ended("succeeded");
      return usage;
    } catch (error) {
      pass.ended(faultOf(error)?.outage ? "failed" : "neither");
      throw error;
    }
  }

  return {
    routes: forEachRoute((route) => routes[route] && formatModelId(routes[route])),
    longestCallMs:
      Math.max(...Object.values(limits).map(({ timeoutMs }) => timeoutMs)) * DEEP_THINK_TIMES,
    stream,
  };
}

/**
 * Returns a function that calls `create` only once per name. Creating a model per call would
 * rebuild its protocol's schemas each time (docs/decisions/0015).
 */
function memoize<Name, Value>(create: (name: Name) => Value): (name: Name) => Value {
  const values = new Map<Name, Value>();
  return (name) => {
    const value = values.get(name) ?? create(name);
    values.set(name, value);
    // A rejected promise, for example of a package's import, is not cached.
    if (value instanceof Promise) value.catch(() => values.delete(name));
    return value;
  };
}

function accessTo(
  provider: RemoteProvider,
  { openaiCompatible, keys }: ModelsConfig,
  { baseUrls, fetch }: ModelsOptions,
): ProviderAccess {
  const isCompatible = provider === "openai-compatible";
  const { apiKey, baseUrl } = isCompatible
    ? openaiCompatible
    : { apiKey: keys[provider], baseUrl: undefined };
  return {
    apiKey: apiKey?.trim(),
    baseUrl: baseUrls?.[provider] ?? baseUrl?.trim(),
    ...(fetch ? { fetch } : {}),
  };
}
