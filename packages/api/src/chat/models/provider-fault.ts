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
  readonly status: number | null;

  /** @param status the HTTP status that the reply tells */
  constructor(name: string, outage: boolean, status: number | null = null) {
    super(name);
    this.name = name;
    this.outage = outage;
    this.status = status;
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
  const isUnusable = error instanceof UnusableReply;
  const status = isUnusable ? error.status : (toldStatus(error) ?? statusOf(error));
  const name =
    error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : "ProviderError";
  if (status === null || status < 300) {
    return { name, status, retryable: isNetwork(error), outage: !isUnusable || error.outage };
  }
  const retryable = status === 408 || status === 429 || status >= 500;
  // Any other 4xx can be caused by one prompt or model name, so it never opens the breaker.
  return {
    name,
    status,
    retryable,
    outage: retryable || status === 401 || status < 400,
    retryAfterMs: retryable ? readRetryAfter(error) : undefined,
  };
}

const statusOf = (error: unknown): number | null =>
  APICallError.isInstance(error) ? (error.statusCode ?? null) : null;

/**
 * Words by which providers refuse one request, in letters and digits. Words of a failing provider
 * have no status.
 */
const refusals: readonly (readonly [words: RegExp, status: number | null])[] = [
  [/overload|servererror|internalerror|unavailable|ratelimit|toomanyrequests/, null],
  [/unauth|authentication|apikey/, 401],
  [/permission|forbidden/, 403],
  [/notfound/, 404],
  [/toolarge/, 413],
  [/unprocessable/, 422],
  [
    /invalid(request|argument|prompt|input|param)|badrequest|failedprecondition|outofrange|contextlength|toolong|contentpolicy|contentfilter|moderation|flagged|safety/,
    400,
  ],
];

/**
 * Returns the HTTP status that an error in a stream of status 200 tells by its `code`, `status` or
 * `type`: a number, else the first of these that has known words. Null for an error that tells none
 * of a refusal, and for other errors.
 */
export function toldStatus(error: unknown): number | null {
  const told = fieldsOfError(error);
  const given = [told.code, told.status, told.type].filter((value) => value != null).map(String);
  const number = given.find((value) => /^[45]\d\d$/.test(value));
  if (number !== undefined) return Number(number);
  const words = given.map((value) => value.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const known = words.flatMap((word) => refusals.filter(([pattern]) => pattern.test(word)));
  return known[0]?.[1] ?? null;
}

/**
 * The provider's own fields of an error in a stream. The packages pass them on as they are, as
 * `data`, or as the `value` of an event that they do not know.
 */
function fieldsOfError(error: unknown): Record<string, unknown> {
  const { data, value } = recordOf(error);
  const event = recordOf(error instanceof Error ? (data ?? value) : (data ?? error));
  // The response of another status has its fields in `error`, and its status decides.
  if (APICallError.isInstance(error) && "error" in event) return {};
  return typeof event.error === "object" ? recordOf(event.error) : event;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** Creates the HubError of a failed model call, with a {@link ProviderFault} as its cause. */
export function toHubError(
  called: CalledModel,
  facts: FaultFacts,
  code: "provider_failed" | "provider_timeout" = "provider_failed",
): HubError {
  const { retryAfterMs } = facts;
  return new HubError(code, {
    cause: new ProviderFault(called, facts),
    ...(facts.name === "RefusedReply" && { message: "The model refused to reply." }),
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
