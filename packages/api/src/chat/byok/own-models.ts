import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { HubError } from "../../errors.ts";
import { type Breaker, createBreaker } from "../models/breaker.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { ModelEnd, ModelPort, ModelRequest } from "../models/model-port.ts";
import { createModels, createThinkers } from "../models/models.ts";
import { faultOf } from "../models/provider-fault.ts";
import { checkKey, type OwnKey } from "./check-key.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

declare module "../../context.ts" {
  interface Hub {
    ownModels: OwnModels;
  }
}

/** Calls providers with keys of accounts (decisions §5, BYOK). */
export interface OwnModels {
  /** `host:port` entries of BYOK_ALLOWED_HOSTS. */
  readonly allowedHosts: ReadonlySet<string>;
  /**
   * Checks a key with one cheap call.
   * @throws HubError `byok_key_rejected`, `provider_failed`; the signal's reason if it aborts
   */
  check(key: OwnKey, signal: AbortSignal): Promise<void>;
  /**
   * Returns the models of a key. Their `stream` can also throw HubError `byok_key_rejected`.
   * @param keyName identifies the key; each key has a circuit breaker of its own
   */
  modelsOf(key: OwnKey, keyName: string): ModelPort;
}

export interface OwnModelsOptions {
  allowedHosts: readonly string[];
  timeoutMs: number;
  /** For tests: replaces the system's resolver. */
  lookup?: LookupFunction;
  /**
   * For tests: base URLs of local servers that replace the providers. `allowedHosts` must list
   * them.
   */
  baseUrls?: Partial<Record<RemoteProvider, string>>;
  retryDelayMs?: number;
}

type Thinkers = ReturnType<typeof createThinkers>;

/** Maximum number of keys of which the hub knows how their providers behave. */
const MAX_KEYS = 1_000;

export function createOwnModels(options: OwnModelsOptions): OwnModels {
  const { timeoutMs, lookup, baseUrls = {}, retryDelayMs } = options;
  const allowedHosts = new Set(options.allowedHosts);
  const guarded = createGuardedFetch({ allowedHosts, ...(lookup ? { lookup } : {}) });
  const fetchOf = (provider: RemoteProvider) =>
    provider === "google" ? withGoogleRejections(guarded) : guarded;
  const known = new LRUCache<string, { breaker: Breaker; thinkers: Thinkers }>({ max: MAX_KEYS });

  return {
    allowedHosts,

    check: (key, signal) =>
      checkKey(key, {
        fetch: fetchOf(key.provider),
        baseUrl: baseUrls[key.provider] ?? key.baseUrl ?? undefined,
        signal,
      }),

    modelsOf(key, keyName) {
      const ofKey = known.get(keyName) ?? { breaker: createBreaker(), thinkers: createThinkers() };
      known.set(keyName, ofKey);
      const idOf = (model: string | null) => model && `${key.provider}:${model}`;
      const models = createModels(
        {
          text: idOf(key.textModel),
          vision: idOf(key.visionModel),
          premium: null,
          summary: null,
          keys: { [key.provider]: key.apiKey },
          openaiCompatible: { baseUrl: key.baseUrl ?? undefined, apiKey: key.apiKey },
          timeoutMs,
        },
        {
          fetch: fetchOf(key.provider),
          ...ofKey,
          baseUrls,
          ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
        },
      );
      async function* stream(request: ModelRequest): AsyncGenerator<string, ModelEnd, undefined> {
        try {
          return yield* models.stream(request);
        } catch (error) {
          const status = faultOf(error)?.status ?? 0;
          if (status === 401 || status === 403) {
            // A rejected key is no outage: the next call may use a corrected key.
            known.delete(keyName);
            throw new HubError("byok_key_rejected", { cause: error });
          }
          throw status >= 400 && status < 500 ? explain(error as HubError, status) : error;
        }
      }
      return { ...models, stream };
    },
  };
}

/** Tells the owner of a key why the provider refused the call, without the provider's own text. */
function explain({ code, retryAfter, cause }: HubError, status: number): HubError {
  const message =
    status === 404
      ? "The provider does not know the model."
      : status === 402 || status === 429
        ? "The provider reports that your key has reached its limit."
        : "The provider refused the request.";
  return new HubError(code, {
    message,
    cause,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/**
 * Google answers an invalid key with 400, like a bad request. The returned `fetch` turns that
 * status into 401.
 */
const withGoogleRejections =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 400) return response;
    const text = await response.text();
    const status = text.includes("API_KEY_INVALID") ? 401 : 400;
    return new Response(text, { status, headers: response.headers });
  };
