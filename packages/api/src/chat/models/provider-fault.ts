import { APICallError, InvalidPromptError, UnsupportedFunctionalityError } from "ai";
import { HubError } from "../../errors.ts";

export interface CalledModel {
  provider: string;
  model: string;
}

interface FaultFacts {
  name: string;
  status: number | null;
  /**
   * True if a retry may succeed: after a network failure, 408, 429 or 5xx (decisions §5, Provider).
   */
  retryable: boolean;
  /**
   * True if the provider failed, rather than this one prompt. Only such failures count for the
   * circuit breaker.
   */
  outage: boolean;
  /** Delay from the `Retry-After` header, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/**
 * A failed call to a provider, for the log. It copies single fields, because the errors of the
 * clients contain the prompt, the key and the provider's response.
 */
export class ProviderFault extends Error {
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly outage: boolean;

  constructor(called: CalledModel, facts: FaultFacts) {
    super(
      `${called.provider} ${called.model}: ${facts.name}${facts.status ? ` ${facts.status}` : ""}`,
    );
    this.name = facts.name;
    this.provider = called.provider;
    this.model = called.model;
    this.status = facts.status;
    this.outage = facts.outage;
  }
}

/** A complete response that contains no usable reply. */
export class UnusableReply extends Error {
  readonly outage: boolean;

  constructor(name: string, outage: boolean) {
    super(name);
    this.name = name;
    this.outage = outage;
  }
}

/**
 * Returns the refusal of a call that an app has made unusable: a provider package throws on it
 * before it calls the provider, for example on a malformed JSON schema or on arguments that are
 * nested too deep. Nothing of it is the provider's fault, so that it never opens the breaker.
 * Returns undefined for other errors.
 */
export function unusableCall(called: CalledModel, error: unknown): HubError | undefined {
  const isOfCode = error instanceof TypeError || error instanceof RangeError;
  const isOfPrompt =
    UnsupportedFunctionalityError.isInstance(error) || InvalidPromptError.isInstance(error);
  if (!(isOfCode || isOfPrompt) || isNetwork(error)) return undefined;
  const { name } = error;
  const facts = { name, status: null, retryable: false, outage: false };
  return new HubError("invalid_input", {
    message:
      "The model cannot take this call. Check its tools, their arguments and its JSON schema.",
    cause: new ProviderFault(called, facts),
  });
}

/** Classifies an error of a provider client. */
export function readFault(error: unknown): FaultFacts {
  if (error instanceof UnusableReply) {
    return { name: error.name, status: null, retryable: false, outage: error.outage };
  }
  const status = APICallError.isInstance(error) ? (error.statusCode ?? null) : null;
  const name =
    error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : "ProviderError";
  if (status === null || status < 300) {
    return { name, status, retryable: isNetwork(error), outage: true };
  }
  const retryable = status === 408 || status === 429 || status >= 500;
  // Any other 4xx can be caused by one prompt or model name, so it never opens the breaker.
  return {
    name,
    status,
    retryable,
    outage: retryable || status === 401 || status === 403 || status < 400,
    retryAfterMs: retryable ? readRetryAfter(error) : undefined,
  };
}

/** Creates the HubError of a failed model call, with a {@link ProviderFault} as its cause. */
export function toHubError(
  called: CalledModel,
  facts: FaultFacts,
  code: "provider_failed" | "provider_timeout" = "provider_failed",
): HubError {
  const { retryAfterMs } = facts;
  return new HubError(code, {
    cause: new ProviderFault(called, facts),
    ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1_000) }),
  });
}

/**
 * Returns the {@link ProviderFault} that caused an error of a model call; undefined for other
 * errors.
 */
export const faultOf = (error: unknown): ProviderFault | undefined =>
  error instanceof HubError && error.cause instanceof ProviderFault ? error.cause : undefined;

/** Upper bound for the provider's `Retry-After`. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** Parses `Retry-After`, which is a number of seconds or an HTTP date (RFC 9110 §10.2.3). */
function readRetryAfter(error: unknown): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const text = headers?.["retry-after"]?.trim();
  if (!text) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Whether the error, or one of its causes, carries an error code of the system or of undici. */
function isNetwork(error: unknown): boolean {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < 8; depth++) {
    if ("code" in current && /^(E[A-Z]+|EAI_AGAIN|UND_ERR_[A-Z_]+)$/.test(String(current.code)))
      return true;
    current = current.cause;
  }
  return false;
}
