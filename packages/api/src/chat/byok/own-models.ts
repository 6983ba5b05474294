import type { LookupFunction } from "node:net";
import { performance } from "node:perf_hooks";
import { HubError } from "../../errors.ts";
import { type Breaker, createBreaker } from "../models/breaker.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { ModelPort, ModelRequest, ModelUsage } from "../models/model-port.ts";
import { createModels } from "../models/models.ts";
import { ProviderFault } from "../models/provider-fault.ts";
import { checkKey } from "./check-key.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { OwnKey } from "./own-key.ts";
import { withGoogleRejections } from "./rejected-key.ts";

/** Model providers that accounts pay for themselves (decisions §5, BYOK). */
export interface OwnModels {
  /** `host:port` of every host that the operator lets people name. */
  readonly allowedHosts: ReadonlySet<string>;
  /**
   * Asks the provider whether the key is good, as cheaply as it can be asked.
   * @throws HubError `byok_key_rejected`, `provider_failed`; the signal's reason when it aborted
   */
  check(key: OwnKey, signal: AbortSignal): Promise<void>;
  /**
   * The models behind a key.
   * @param keyName the same for the same key: its failures are counted together, and with nobody else's
   * @throws (its `stream`) HubError `byok_key_rejected`, and what every model throws; a refusal in words of ours
   */
  modelsOf(key: OwnKey, keyName: string): ModelPort;
}

export interface OwnModelsOptions {
  allowedHosts: readonly string[];
  timeoutMs: number;
  /** For tests: in place of the system's resolver. */
  lookup?: LookupFunction;
  /** For tests: servers of their own in place of the providers'. They must be listed, too. */
  baseUrls?: Partial<Record<RemoteProvider, string>>;
  retryDelayMs?: number;
}

/** The one used longest ago goes first: it has most likely come back. */
const MAX_BREAKERS = 1_000;

export function createOwnModels(options: OwnModelsOptions): OwnModels {
  const { timeoutMs, lookup, baseUrls = {}, retryDelayMs } = options;
  const allowedHosts = new Set(options.allowedHosts);
  const guarded = createGuardedFetch({ allowedHosts, ...(lookup ? { lookup } : {}) });
  const fetchOf = (provider: RemoteProvider) =>
    provider === "google" ? withGoogleRejections(guarded) : guarded;
  const breakers = new Map<string, Breaker>();

  function breakerOf(keyName: string): Breaker {
    const breaker = breakers.get(keyName) ?? createBreaker(() => performance.now());
    breakers.delete(keyName);
    breakers.set(keyName, breaker);
    const [oldest] = breakers.keys();
    if (breakers.size > MAX_BREAKERS && oldest !== undefined) breakers.delete(oldest);
    return breaker;
  }

  return {
    allowedHosts,

    check: (key, signal) =>
      checkKey(key, {
        fetch: fetchOf(key.provider),
        baseUrl: baseUrls[key.provider] ?? key.baseUrl ?? undefined,
        signal,
      }),

    modelsOf(key, keyName) {
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
          breakerOf: () => breakerOf(keyName),
          baseUrls,
          ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
        },
      );
      async function* stream(request: ModelRequest): AsyncGenerator<string, ModelUsage, undefined> {
        try {
          return yield* models.stream(request);
        } catch (error) {
          const status = refusalOf(error);
          if (status === null) throw error;
          if (status !== 401 && status !== 403) throw inWords(error as HubError, status);
          // The provider is well: the next call may come with the key set right there.
          breakers.delete(keyName);
          throw new HubError("byok_key_rejected", { cause: error });
        }
      }
      return { ...models, stream };
    },
  };
}

/** The 4xx that the provider has answered. */
function refusalOf(error: unknown): number | null {
  if (!(error instanceof HubError && error.cause instanceof ProviderFault)) return null;
  const { status } = error.cause;
  return status !== null && status >= 400 && status < 500 ? status : null;
}

/** Whose key it is can mend it, and must know what. Never the provider's own text: it is foreign. */
function inWords({ code, retryAfter, cause }: HubError, status: number): HubError {
  const message =
    status === 404
      ? "The provider does not know the model."
      : status === 402 || status === 429
        ? "The provider says that your key's limit is reached."
        : "The provider refuses the request.";
  return new HubError(code, {
    message,
    cause,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
