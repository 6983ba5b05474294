/**
 * The status and default message of each failure code, for every transport (specification §7,
 * decisions §1). Codes never change; messages may.
 */
const failures = {
  bad_request: [400, "The request is not valid HTTP."],
  invalid_json: [400, "The body is not valid JSON."],
  invalid_input: [400, "Some fields are missing or invalid. See `details`."],
  input_too_long: [400, "The message is longer than your plan allows."],
  soul_not_eligible: [400, "This mini app does not support this soul."],
  import_invalid: [400, "The file cannot be imported. See `details`."],
  image_invalid: [400, "The image must be a valid PNG, JPEG, WebP or GIF data URI."],
  token_invalid: [400, "This link is not valid: it is used, too old or unknown."],
  invite_invalid: [400, "This invite is unknown, has expired or is used up."],

  unauthenticated: [401, "Log in, or send a valid API key."],
  wrong_credentials: [401, "The username or password is wrong."],
  invalid_wallet_proof: [401, "The signature does not prove that you own this wallet."],
  passkey_rejected: [401, "The passkey was not accepted."],

  pass_required: [403, "This request requires an active VIP or Pro pass."],
  pass_expired: [403, "Your pass has expired."],
  not_owner: [403, "Only the owner of this soul can make this request."],
  scope_missing: [403, "This API key does not have the scope that this request requires."],
  soul_not_public: [403, "This soul is private. Only public souls can be forked."],
  wrong_password: [403, "The current password is wrong."],
  private_session: [
    403,
    "Only the owner of a session can make it private. Only the owner and invited members can enter a private session.",
  ],
  banned: [403, "The owner of this room has banned you from it."],
  wallet_required: [403, "Your account has no wallet. Bind one with POST /api/bind-wallet."],
  muted: [403, "You cannot talk in this room at present."],
  nft_required: [403, "Only holders of an NFT that this soul requires can use the soul."],
  image_not_allowed: [403, "Your plan does not include images."],
  deep_think_not_allowed: [403, "Your plan does not include deep think."],
  byok_inactive: [403, "You have no active provider key. Save one with PUT /api/byok."],
  /**
   * The status of `byok_key_rejected` is 400 if the provider rejects a key while it is saved
   * (decisions §1).
   */
  byok_key_rejected: [403, "The provider rejected your key. Save another key."],
  account_storage_full: [
    403,
    "The imported files of your account take all of its storage. Delete a soul with such files.",
  ],
  csrf_rejected: [403, "The request did not come from a page of this site."],
  registration_closed: [403, "This hub accepts new accounts only with an invite, or none at all."],
  email_unverified: [403, "Verify your e-mail address first."],
  account_suspended: [
    403,
    "Your account is suspended, or may not write. See `until` and `reason`.",
  ],
  account_deleting: [403, "This account is being deleted. See `deletes_at`."],
  blocked: [403, "The owner has blocked you."],
  own_decision: [403, "Another member of the staff has to decide about this appeal."],

  not_found: [404, "No page or endpoint exists at this URL."],
  soul_not_found: [404, "This soul does not exist, or it is private."],
  room_not_found: [404, "This conversation was deleted. Only its former owner can begin it anew."],
  version_not_found: [404, "This soul has no such version."],
  invite_not_found: [404, "This invite does not exist, has expired or is used up."],
  message_not_found: [404, "This room has no such message, or it was removed."],
  api_key_not_found: [404, "You have no API key with this id."],
  share_not_found: [404, "This conversation is not shared, or no longer."],
  user_not_found: [404, "No user has this username."],
  app_not_found: [404, "No mini app has this slug."],
  session_not_found: [404, "You have no session with this id."],
  passkey_not_found: [404, "You have no passkey with this id."],
  report_not_found: [404, "This report does not exist."],
  case_not_found: [404, "This case does not exist."],

  method_not_allowed: [
    405,
    "This URL does not support the request method. See the `Allow` header.",
  ],
  backup_running: [409, "Another backup is running."],
  already_appealed: [409, "You have already appealed against this decision."],
  cancelled: [409, "The reply was cancelled."],
  case_changed: [409, "The case has changed since you read it."],
  idempotency_in_flight: [409, "The first request with this Idempotency-Key is still running."],
  limit_reached: [409, "The limit is reached."],
  room_changed: [409, "The room has changed since you read it."],
  soul_changed: [409, "The soul has changed since you read it."],
  summary_changed: [409, "The summary has changed since you read it."],
  version_withdrawn: [
    409,
    "The soul's author has hidden the version that this conversation uses. Its owner can choose another one.",
  ],
  too_many_keys: [409, "You have 50 API keys. Revoke one first."],
  too_many_passkeys: [409, "You have 10 passkeys. Remove one first."],
  username_taken: [409, "This username is taken."],
  version_signed: [409, "This version has another signature, which cannot be changed."],
  wallet_already_bound: [409, "Your account already has a wallet, which cannot be changed."],
  wallet_in_use: [409, "This wallet belongs to another account."],

  body_too_large: [413, "The request body is too large."],
  uri_too_long: [414, "The URL is too long."],
  unsupported_media_type: [415, "The body has a media type that this endpoint does not accept."],
  misdirected_request: [421, "This server does not serve the host in the Host header."],
  idempotency_mismatch: [
    422,
    "This Idempotency-Key was already used with a different request body.",
  ],
  headers_too_large: [431, "The request headers are too large."],

  rate_limited: [429, "Too many requests. Try again later."],
  quota_exceeded: [429, "Your daily quota is used up."],

  internal: [500, "The server failed because of an internal error."],
  provider_failed: [502, "The model provider failed to respond."],
  overloaded: [503, "The server is busy. Try again in a moment."],
  chain_unavailable: [503, "The NEAR blockchain does not respond. Try again in a moment."],
  mail_unavailable: [503, "This hub sends no mail. Ask its operator."],
  shutting_down: [503, "The server is restarting. Try again in a moment."],
  maintenance: [503, "The hub's data is being moved. Reads still work. Try again later."],
  storage_full: [503, "The server has no disk space left. Reads still work."],
  no_model: [503, "No model is configured for this request."],
  provider_timeout: [504, "The model provider took too long to respond."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type FailureCode = keyof typeof failures;

/** An invalid field of the input: its dotted path and the reason for the refusal. */
export interface FailureDetail {
  field: string;
  message: string;
}

/** The body of every failure, on every transport. */
export interface FailureBody {
  success: false;
  error: FailureCode;
  message: string;
  request_id: string;
  details?: FailureDetail[];
  [additive: string]: unknown;
}

export interface HubErrorOptions {
  /**
   * Replaces the code's status in the failure table. Only one code has two statuses (decisions §1).
   */
  status?: number;
  /**
   * Replaces the code's message in the failure table. The caller reads the message, so it must
   * reveal no internals.
   */
  message?: string;
  details?: FailureDetail[];
  /** The value of the Retry-After header, in seconds. */
  retryAfter?: number;
  /** Further fields of the error body, for example `quota` (decisions §1, 429). */
  extra?: Record<string, unknown>;
  /** The original error. The hub logs it and never sends it. */
  cause?: unknown;
}

/** A failure that is sent to the caller. Any other thrown value becomes `internal`. */
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

/** The refusal of one field of the input. */
export const invalidField = (field: string, message: string, cause?: unknown): HubError =>
  new HubError("invalid_input", { details: [{ field, message }], cause });

/** Returns the code under which a failure is counted, recorded and shown. */
export const failureCodeOf = (error: unknown): FailureCode =>
  error instanceof HubError ? error.code : "internal";

export const failureStatus = (code: FailureCode): number => failures[code][0];
