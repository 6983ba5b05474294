/**
 * The one table of failures (specification §7, decisions §1). Every door answers from it:
 * the code is for machines and never changes, the message is for people and may.
 */
const failures = {
  bad_request: [400, "This is not a request the hub can read."],
  invalid_json: [400, "The body is not valid JSON."],
  invalid_input: [400, "Some of the input is missing or not allowed."],
  input_too_long: [400, "The message is longer than your plan allows."],
  soul_not_eligible: [400, "This mini app can't be used with this soul."],
  image_invalid: [400, "The image is not a valid PNG, JPEG, WebP or GIF data URI."],

  unauthenticated: [401, "A valid credential is needed here."],
  wrong_credentials: [401, "The username or the password is wrong."],
  invalid_wallet_proof: [401, "The signature does not prove that this wallet is yours."],

  pass_required: [403, "This needs an active vip or pro pass."],
  pass_expired: [403, "The pass of this account has expired."],
  not_owner: [403, "This soul belongs to somebody else."],
  soul_not_public: [403, "This soul is private. Only public souls can be forked."],
  wrong_password: [403, "The current password is wrong."],
  private_session: [403, "This conversation is private."],
  nft_required: [403, "This soul is for who owns one of its tokens, in a verified wallet."],
  image_not_allowed: [403, "Your plan does not include images."],
  deep_think_not_allowed: [403, "Your plan does not include deep think."],
  byok_inactive: [403, "You have no active provider key. Save one with PUT /api/byok."],
  /** When saved it is 400 (decisions §1). */
  byok_key_rejected: [403, "The provider rejects your key. Save another one."],
  csrf_rejected: [403, "The request did not come from this site."],

  not_found: [404, "There is nothing at this address."],
  soul_not_found: [404, "There is no such soul."],
  version_not_found: [404, "This soul has no such version."],
  user_not_found: [404, "There is no such user."],
  app_not_found: [404, "There is no such mini app."],

  method_not_allowed: [405, "This address does not answer that method."],
  cancelled: [409, "The reply was cancelled."],
  idempotency_in_flight: [409, "The first call with this Idempotency-Key is still running."],
  summary_changed: [409, "What is remembered has changed since you read it."],
  username_taken: [409, "This username is taken."],
  wallet_already_bound: [409, "This account already has a wallet. A binding is permanent."],
  wallet_in_use: [409, "This wallet is bound to another account."],

  body_too_large: [413, "The body is too large."],
  uri_too_long: [414, "The address is too long."],
  unsupported_media_type: [415, "Only application/json is read here."],
  idempotency_mismatch: [422, "This Idempotency-Key was used with another body."],
  headers_too_large: [431, "The headers are too large."],

  rate_limited: [429, "Too many requests. Please slow down."],
  quota_exceeded: [429, "The daily quota is used up."],

  internal: [500, "Something went wrong on our side."],
  provider_failed: [502, "The model provider failed to answer."],
  overloaded: [503, "The hub is busy. Please try again in a moment."],
  chain_unavailable: [
    503,
    "The blockchain can't be asked right now. Please try again in a moment.",
  ],
  shutting_down: [503, "The hub is restarting. Please try again in a moment."],
  no_model: [503, "No model is configured for this request."],
  provider_timeout: [504, "The model provider took too long to answer."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type FailureCode = keyof typeof failures;

/** One wrong field: its dotted path in the input and what is wrong with it. */
export interface FailureDetail {
  field: string;
  message: string;
}

/** The body of every failure, on every door. */
export interface FailureBody {
  success: false;
  error: FailureCode;
  message: string;
  request_id: string;
  details?: FailureDetail[];
  [additive: string]: unknown;
}

export interface HubErrorOptions {
  /** Replaces the table's status, for the one code that has two (decisions §1). */
  status?: number;
  /** Replaces the table's message. Shown to the caller: no internals. */
  message?: string;
  details?: FailureDetail[];
  /** Seconds, sent as Retry-After. */
  retryAfter?: number;
  /** Added to the body as they are, e.g. `quota` (decisions §1, 429). */
  extra?: Record<string, unknown>;
  /** Logged, never shown. */
  cause?: unknown;
}

/** A failure that the caller is meant to see. Anything else thrown becomes `internal`. */
export class HubError extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly details: FailureDetail[] | undefined;
  readonly retryAfter: number | undefined;
  readonly extra: Record<string, unknown> | undefined;

  constructor(code: FailureCode, options: HubErrorOptions = {}) {
    super(options.message ?? failures[code][1], { cause: options.cause });
    this.name = "HubError";
    this.code = code;
    this.status = options.status ?? failures[code][0];
    this.details = options.details;
    this.retryAfter = options.retryAfter ?? (failures[code][0] === 503 ? 5 : undefined);
    this.extra = options.extra;
  }

  toBody(requestId: string): FailureBody {
    return {
      success: false,
      error: this.code,
      message: this.message,
      request_id: requestId,
      ...(this.details ? { details: this.details } : {}),
      ...this.extra,
    };
  }
}

export const failureStatus = (code: FailureCode): number => failures[code][0];
