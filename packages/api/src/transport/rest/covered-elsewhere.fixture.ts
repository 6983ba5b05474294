import type { FailureCode } from "../../errors.ts";

/**
 * Failures of all endpoints that no single request can provoke. The value names the test that
 * covers the failure.
 */
export const coveredElsewhere: Partial<Record<FailureCode, string>> = {
  bad_request: "wrong-input.test.ts, ../http/validate-request.test.ts: malformed HTTP",
  uri_too_long: "wrong-input.test.ts: refused before routing",
  misdirected_request: "../http/validate-request.test.ts: refused by its Host header",
  storage_full: "../http/storage-full.test.ts: needs a full disk",
  maintenance: "../../backup/maintenance.test.ts: needs a hub whose data moves",
  headers_too_large: "wrong-input.test.ts: refused before routing",
  body_too_large: "wrong-input.test.ts: 10 MB to each endpoint",
  idempotency_in_flight: "idempotency.test.ts: needs two simultaneous calls",
  idempotency_mismatch: "idempotency.test.ts: needs two calls",
  rate_limited: "rate-limits.test.ts: needs many calls",
  overloaded: "db/database-errors.test.ts: needs a database that does not answer",
  shutting_down: "chat/send/chat.stop.test.ts: needs a hub that stops",
  scope_missing: "../scopes.test.ts: needs a key without the scope",
  email_unverified: "accounts/email/email.test.ts: needs a hub that requires verified addresses",
  account_suspended: "../standing.test.ts: needs an account of the staff that is suspended",
  internal: "../http/error-responses.test.ts: needs a bug",
};

const withoutMail = "accounts/recovery/recovery.test.ts: needs a hub without mail";
const mailLimits = "accounts/email/email.test.ts: needs rate limits";
const hashQueue = "accounts/passwords/password-hash.test.ts: needs 68 simultaneous logins";
const namedKeys = "accounts/keys/api-keys.test.ts: needs a key without the scope souls:read";
const callQueue = "chat/send/model-call-queue.test.ts: needs 1,000 waiting calls";
const throttle = "accounts/passwords/login-throttle.test.ts: needs many wrong passwords";

/**
 * Failures that an endpoint itself declares and that no single request can provoke. The value names
 * the test that covers the failure.
 */
export const ownCoveredElsewhere: Readonly<Record<string, Partial<Record<FailureCode, string>>>> = {
  "POST /chat": { overloaded: callQueue },
  "POST /self-chat": {
    overloaded: callQueue,
    cancelled: "chat/byok/self-chat.test.ts: needs a caller that disconnects",
  },
  "POST /try": {
    overloaded: callQueue,
    cancelled: "chat/completions/try-soul.test.ts: needs a caller that disconnects",
  },
  "GET /soul/{id}": { scope_missing: namedKeys },
  "GET /soul/{id}/similar": { scope_missing: namedKeys },
  "GET /versions": { scope_missing: namedKeys },
  "GET /version": { scope_missing: namedKeys },
  "GET /version-diff": { scope_missing: namedKeys },
  "POST /register": { overloaded: hashQueue },
  "POST /admin/invites": {
    limit_reached: "accounts/invites/invites.test.ts: needs 1,000 invites",
  },
  "POST /souls/import": {
    account_storage_full: "souls/exchange/storage-limit.test.ts: needs files beyond the limit",
  },
  // A repeated Idempotency-Key of a revoked link.
  "POST /shares": { share_not_found: "chat/sharing/shares.test.ts" },
  "PUT /blocks": { limit_reached: "accounts/blocks/blocks.test.ts: needs 1,000 blocks" },
  "POST /delete-account": { overloaded: hashQueue, rate_limited: throttle },
  "POST /undo-deletion": { overloaded: hashQueue, rate_limited: throttle },
  "POST /wallet-login": { account_deleting: "account-deletion/account-deletion.test.ts" },
  "POST /room-join": { private_session: "account-deletion/account-deletion.test.ts" },
  "POST /room-invites": { invite_not_found: "chat/people/room-invites.test.ts" },
  // The rows of bind-wallet have bound a wallet to every account.
  "POST /version-signature": { wallet_required: "souls/versions/signing/sign-version.test.ts" },
  "POST /reset-password": { overloaded: hashQueue },
  "POST /forgot-password": { mail_unavailable: withoutMail },
  "POST /verify-email/send": { mail_unavailable: withoutMail, rate_limited: mailLimits },
  "POST /change-email": {
    passkey_rejected: "accounts/passkeys/passkeys.test.ts: needs a passkey",
    rate_limited: throttle,
    overloaded: hashQueue,
  },
  "POST /mod/cases": {
    blocked: "moderation/access-matrix.fixture.ts, POST /reports: needs staff that is blocked",
    chain_unavailable:
      "moderation/access-matrix.fixture.ts, POST /reports: needs staff with a wallet",
  },
  "POST /login": { overloaded: hashQueue, rate_limited: throttle },
  "POST /change-password": { overloaded: hashQueue, rate_limited: throttle },
  "POST /keys": {
    overloaded: hashQueue,
    rate_limited: throttle,
    too_many_keys: "accounts/keys/api-keys.test.ts: needs 50 keys",
  },
  "POST /passkeys/options": { overloaded: hashQueue, rate_limited: throttle },
  "POST /passkeys": { overloaded: hashQueue, rate_limited: throttle },
  "DELETE /passkeys/{id}": { overloaded: hashQueue, rate_limited: throttle },
  "POST /api-key": { overloaded: hashQueue, rate_limited: throttle },
};

/** Endpoints whose success needs another hub. The value names the test that covers the success. */
export const successElsewhere: Readonly<Record<string, string>> = {
  "POST /import": "account-archive/import/import-account.test.ts: needs an archive",
  "POST /admin/move": "apps/server/src/move.deep.test.ts: needs a database in a directory",
};
