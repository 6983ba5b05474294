import { HubError } from "../../errors.ts";

export interface CalledModel {
  provider: string;
  model: string;
}

interface FaultFacts {
  name: string;
  status: number | null;
  /** The same call may work at once: network, 408, 429, 5xx (decisions §5). */
  retryable: boolean;
  /** The provider is to blame, not this one prompt: counts for its breaker. */
  outage: boolean;
  /** When the provider wants to be asked again (Retry-After). */
  retryAfterMs?: number | undefined;
}

/**
 * What went wrong with a provider, for the log. Chosen fields only: the errors of the clients
 * hold the whole prompt, the key's header and the provider's answer.
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

/** A reply that came and cannot be used. */
export class UnusableReply extends Error {
  readonly outage: boolean;

  constructor(name: string, outage: boolean) {
    super(name);
    this.name = name;
    this.outage = outage;
  }
}

export function readFault(error: unknown): FaultFacts {
  if (error instanceof UnusableReply) {
    return { name: error.name, status: null, retryable: false, outage: error.outage };
  }
  const status = statusOf(error);
  const name =
    error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : "ProviderError";
  if (status === null || status < 300) {
    return { name, status, retryable: isNetwork(error), outage: true };
  }
  const retryable = status === 408 || status === 429 || status >= 500;
  // Any other 4xx may be one person's prompt or one model's name; it must not close the provider for all.
  return {
    name,
    status,
    retryable,
    outage: retryable || status === 401 || status === 403 || status < 400,
    retryAfterMs: retryable ? readRetryAfter(error) : undefined,
  };
}

export function toHubError(called: CalledModel, facts: FaultFacts): HubError {
  const { retryAfterMs } = facts;
  return new HubError("provider_failed", {
    cause: new ProviderFault(called, facts),
    ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1_000) }),
  });
}

/** @param outage nothing at all came in the time */
export function toTimeout(called: CalledModel, outage: boolean): HubError {
  const facts = { name: "ProviderTimeout", status: null, retryable: false, outage };
  return new HubError("provider_timeout", { cause: new ProviderFault(called, facts) });
}

function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !("statusCode" in error)) return null;
  return typeof error.statusCode === "number" ? error.statusCode : null;
}

/** Rather an hour than for ever. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** Seconds or a date, as HTTP has it. */
function readRetryAfter(error: unknown): number | undefined {
  const { responseHeaders } = error as { responseHeaders?: Record<string, string> };
  const text = responseHeaders?.["retry-after"]?.trim();
  if (!text) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Nothing came back, or the line broke: somewhere in the chain is the system's or undici's code. */
function isNetwork(error: unknown): boolean {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < 8; depth++) {
    if ("code" in current && /^(E[A-Z]+|EAI_AGAIN|UND_ERR_[A-Z_]+)$/.test(String(current.code)))
      return true;
    current = current.cause;
  }
  return false;
}
