import { performance } from "node:perf_hooks";
import { HubError } from "../../errors.ts";
import type { Breaker } from "./breaker.ts";
import { createBreaker } from "./breaker.ts";
import { type ModelCall, streamReply } from "./model-call.ts";
import type { ModelId, RemoteProvider } from "./model-id.ts";
import type { ModelPort, ModelRequest, ModelUsage } from "./model-port.ts";
import type { ModelsConfig } from "./models-config.ts";
import { DEEP_THINK_TIMES, readModelsConfig, readRouteLimits } from "./models-config.ts";
import { streamOffline } from "./offline-reply.ts";
import type { ProviderAccess, ProviderModel } from "./provider-client.ts";
import { createClient } from "./provider-client.ts";
import { ProviderFault } from "./provider-fault.ts";

const RETRY_DELAY_MS = 300;
const OFFLINE_PIECE_MS = 40;

export interface ModelsOptions {
  /** Does the requests; the platform's providers are set by the operator and need no guard. */
  fetch?: typeof globalThis.fetch;
  /** In place of one made for these models alone. */
  breakerOf?: (provider: RemoteProvider) => Breaker;
  /** For tests: milliseconds on a clock that never goes back; for the breakers. */
  now?: () => number;
  retryDelayMs?: number;
  /** Waits between two attempts. */
  sleep?: ModelCall["sleep"];
  offlinePieceMs?: number;
  /** For tests: servers of their own in place of the providers'. */
  baseUrls?: Partial<Record<RemoteProvider, string>>;
}

/**
 * The configured models behind the port of the chat engine.
 * @throws ModelConfigError naming the environment variable at fault
 */
export function createModels(config: ModelsConfig, options: ModelsOptions = {}): ModelPort {
  const routes = readModelsConfig(config);
  const limits = readRouteLimits(config);
  const now = options.now ?? (() => performance.now());
  const breakerOf = options.breakerOf ?? (() => createBreaker(now));
  const providers = new Map<
    RemoteProvider,
    { model: (name: string) => ProviderModel; breaker: Breaker }
  >();

  const providerOf = (name: RemoteProvider) => {
    const known = providers.get(name);
    if (known) return known;
    const made = {
      model: madeOnce(createClient(name, accessTo(name, config, options))),
      breaker: breakerOf(name),
    };
    providers.set(name, made);
    return made;
  };

  async function* stream(request: ModelRequest): AsyncGenerator<string, ModelUsage, undefined> {
    const called = routes[request.route] ?? routes.text;
    if (!called || called.provider === "offline") {
      return yield* streamOffline(request, options.offlinePieceMs ?? OFFLINE_PIECE_MS);
    }
    const { model, breaker } = providerOf(called.provider);
    const pass = breaker.enter();
    if (typeof pass === "number") throw refusal(called, pass);
    const { timeoutMs, maxOutputTokens } = limits[request.route];
    try {
      const usage = yield* streamReply({
        called,
        model: model(called.model),
        request,
        timeoutMs: request.deepThink ? timeoutMs * DEEP_THINK_TIMES : timeoutMs,
        maxOutputTokens,
        retryDelayMs: options.retryDelayMs ?? RETRY_DELAY_MS,
        sleep: options.sleep,
        // Decisions §5, Memory: of a fold a 4xx is never retried.
        retries4xx: request.route !== "summary",
        onFirstToken: pass.answering,
      });
      pass.ended("succeeded");
      return usage;
    } catch (error) {
      pass.ended(isOutage(error) ? "failed" : "neither");
      throw error;
    }
  }

  return {
    routes: {
      text: idText(routes.text),
      vision: idText(routes.vision),
      premium: idText(routes.premium),
      summary: idText(routes.summary),
    },
    longestCallMs:
      Math.max(...Object.values(limits).map(({ timeoutMs }) => timeoutMs)) * DEEP_THINK_TIMES,
    stream,
  };
}

const isOutage = (error: unknown): boolean =>
  error instanceof HubError && error.cause instanceof ProviderFault && error.cause.outage;

/** A model holds the schemas of its protocol: making one anew for every call took a sixth of a chat's time. */
function madeOnce(make: (name: string) => ProviderModel): (name: string) => ProviderModel {
  const made = new Map<string, ProviderModel>();
  return (name) => {
    const model = made.get(name) ?? make(name);
    made.set(name, model);
    return model;
  };
}

/** A call that is kept away from a provider whose breaker is open. */
const refusal = (called: ModelId, openForMs: number): HubError =>
  new HubError("provider_failed", {
    retryAfter: Math.ceil(openForMs / 1_000),
    cause: new ProviderFault(called, {
      name: "BreakerOpen",
      status: null,
      retryable: false,
      outage: false,
    }),
  });

function accessTo(
  provider: RemoteProvider,
  config: ModelsConfig,
  options: ModelsOptions,
): ProviderAccess {
  const own =
    provider === "openai-compatible"
      ? { apiKey: config.openaiCompatible.apiKey, baseUrl: config.openaiCompatible.baseUrl }
      : { apiKey: config.keys[provider], baseUrl: undefined };
  return {
    apiKey: own.apiKey?.trim(),
    baseUrl: options.baseUrls?.[provider] ?? own.baseUrl?.trim(),
    ...(options.fetch ? { fetch: options.fetch } : {}),
  };
}

const idText = (id: ModelId | null): string | null =>
  id && (id.provider === "offline" ? "offline" : `${id.provider}:${id.model}`);
