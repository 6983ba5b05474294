import { performance } from "node:perf_hooks";
import type { LanguageModel } from "ai";
import { HubError } from "../../errors.ts";
import type { Breaker } from "./breaker.ts";
import { createBreaker } from "./breaker.ts";
import { streamReply } from "./model-call.ts";
import type { ModelId, RemoteProvider } from "./model-id.ts";
import type { ModelPort, ModelRequest, ModelUsage } from "./model-port.ts";
import type { ModelsConfig } from "./models-config.ts";
import { readModelsConfig } from "./models-config.ts";
import { streamOffline } from "./offline-reply.ts";
import type { ProviderAccess } from "./provider-client.ts";
import { createClient } from "./provider-client.ts";
import { ProviderFault } from "./provider-fault.ts";

const RETRY_DELAY_MS = 300;
const OFFLINE_PIECE_MS = 40;

/** For tests: other clocks, and servers of their own in place of the providers'. */
export interface ModelsOptions {
  /** Milliseconds on a clock that never goes back; for the breakers. */
  now?: () => number;
  retryDelayMs?: number;
  offlinePieceMs?: number;
  fetch?: typeof globalThis.fetch;
  baseUrls?: Partial<Record<RemoteProvider, string>>;
}

/**
 * The configured models behind the port of the chat engine.
 * @throws ModelConfigError naming the environment variable at fault
 */
export function createModels(config: ModelsConfig, options: ModelsOptions = {}): ModelPort {
  const routes = readModelsConfig(config);
  const now = options.now ?? (() => performance.now());
  const providers = new Map<
    RemoteProvider,
    { model: (name: string) => LanguageModel; breaker: Breaker }
  >();

  const providerOf = (name: RemoteProvider) => {
    const known = providers.get(name);
    if (known) return known;
    const made = {
      model: createClient(name, accessTo(name, config, options)),
      breaker: createBreaker(now),
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
    refuseWhileOpen(breaker, called);
    try {
      const usage = yield* streamReply({
        called,
        model: model(called.model),
        request,
        timeoutMs: request.deepThink ? config.timeoutMs * 2 : config.timeoutMs,
        retryDelayMs: options.retryDelayMs ?? RETRY_DELAY_MS,
      });
      breaker.succeeded();
      return usage;
    } catch (error) {
      if (error instanceof HubError && error.cause instanceof ProviderFault && error.cause.outage) {
        breaker.failed();
      }
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
    stream,
  };
}

function refuseWhileOpen(breaker: Breaker, called: ModelId): void {
  const openForMs = breaker.openForMs();
  if (openForMs === 0) return;
  throw new HubError("provider_failed", {
    retryAfter: Math.ceil(openForMs / 1000),
    cause: new ProviderFault(called, {
      name: "BreakerOpen",
      status: null,
      retryable: false,
      outage: false,
    }),
  });
}

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
