import {
  addedMessages,
  type ErrorMessage,
  type errorMessages,
  type KnownCode,
} from "./error-messages.ts";

const unreadable: ErrorMessage = {
  title: "The hub could not read the request",
  hint: "Reload the page, then try again.",
  recovery: "reload",
};

/** The words of all other error codes. The compiler reports a code that has words in neither file. */
export const furtherErrorMessages: Record<
  Exclude<KnownCode, keyof typeof errorMessages>,
  ErrorMessage
> = {
  bad_request: unreadable,
  invalid_json: unreadable,
  soul_not_eligible: {
    title: "This mini app doesn't support that soul",
    hint: "Choose one of the souls in the list.",
  },
  import_invalid: {
    title: "This file can't be imported",
    hint: "Choose a soul package, a character card or a Markdown file.",
  },
  wrong_credentials: {
    title: "Username or password is wrong",
    hint: "Passwords are case-sensitive; usernames are not.",
  },
  pass_required: {
    title: "This needs a vip or pro pass",
    hint: "Without a pass you can chat here within your daily messages.",
  },
  pass_expired: {
    title: "Your pass has expired",
    hint: "You can go on with the free plan.",
  },
  scope_missing: {
    title: "This API key may not do that",
    hint: "Use a key with the scope that the request needs.",
    recovery: "settings",
  },
  byok_inactive: {
    title: "You have no active provider key",
    hint: "Save a key in your settings, or activate a saved key.",
  },
  byok_key_rejected: {
    title: "Your provider rejected that key",
    hint: "Check the key with your provider, then save it again.",
  },
  account_storage_full: {
    title: "Your imported files take all of your storage",
    hint: "Delete a soul that you imported, then try again.",
  },
  csrf_rejected: {
    title: "The request did not come from this site",
    hint: "Reload the page, then try again.",
    recovery: "reload",
  },
  user_not_found: {
    title: "This user doesn't exist",
    hint: "Check the spelling of the username.",
    recovery: "browse",
  },
  version_not_found: {
    title: "This version can't be shown",
    hint: "Its author may have hidden it. Reload the page to see all versions.",
    recovery: "reload",
  },
  limit_reached: {
    title: "The limit is reached",
    hint: "Nothing was changed.",
  },
  method_not_allowed: {
    title: "The hub does not support this action",
    hint: "Reload the page, then try again.",
    recovery: "reload",
  },
  wallet_required: {
    title: "Your account has no wallet",
    hint: "Bind a wallet in your settings first.",
    recovery: "settings",
  },
  version_signed: {
    title: "This version is already signed",
    hint: "A signature can't be replaced. Save a new version to sign that.",
  },
  idempotency_in_flight: {
    title: "The same request is still running",
    hint: "Wait a moment, then check the result before you try again.",
  },
  idempotency_mismatch: {
    title: "This request conflicts with an earlier one",
    hint: "Reload the page, then send your request again.",
    recovery: "reload",
  },
  soul_changed: {
    title: "The soul has just changed",
    hint: "Nothing was changed. Read its present text, then try again.",
  },
  summary_changed: {
    title: "The memory has just changed",
    hint: "Nothing was changed. Read the present memory, then try again.",
  },
  body_too_large: {
    title: "The request is too large",
    hint: "Shorten the text or choose a smaller file, then try again.",
  },
  uri_too_long: {
    title: "The address is too long",
    hint: "Shorten your search, then try again.",
  },
  headers_too_large: {
    title: "Your browser sent too much data",
    hint: "Clear the cookies of this site, then reload the page.",
    recovery: "reload",
  },
  unsupported_media_type: unreadable,
  misdirected_request: {
    title: "The hub can't be opened at this address",
    hint: "Ask its operator for the right address.",
  },
  account_deleting: {
    title: "This account is closed and will be deleted",
    hint: "Until then you can undo it.",
    recovery: "undo-deletion",
  },
  invalid_wallet_proof: {
    title: "The signature does not match this wallet",
    hint: "Sign the new message with a full-access key of this wallet. A message works once, for five minutes.",
  },
  wrong_password: {
    title: "The current password is wrong",
    hint: "Nothing was changed. Enter the password that you sign in with.",
  },
  api_key_not_found: {
    title: "That API key is gone",
    hint: "It was revoked already, perhaps in another tab.",
    recovery: "reload",
  },
  too_many_keys: {
    title: "You have 50 API keys",
    hint: "Revoke one that you no longer use, then create another.",
  },
  username_taken: {
    title: "That username is taken",
    hint: "Try another username.",
  },
  wallet_already_bound: {
    title: "Your account already has a wallet",
    hint: "It stays bound for good. Use that wallet.",
  },
  wallet_in_use: {
    title: "This wallet belongs to another account",
    hint: "Sign in with the wallet to open that account, or bind another wallet.",
  },
  backup_running: {
    title: "Another backup is running",
    hint: "Wait until it has ended, then start the backup again.",
  },
  token_invalid: {
    title: "This link no longer works",
    hint: "It was used already, is too old, or was not copied whole. Ask for a new one.",
  },
  passkey_rejected: {
    title: "The passkey was not accepted",
    hint: "Try again, or use your password.",
  },
  registration_closed: {
    title: "This hub takes no new accounts",
    hint: "Its operator can invite you.",
  },
  own_decision: {
    title: "This was your own decision",
    hint: "Other staff have to decide about the appeal.",
  },
  session_not_found: {
    title: "That browser is signed out already",
    hint: "Reload the page to see your present sessions.",
    recovery: "reload",
  },
  passkey_not_found: {
    title: "That passkey is gone",
    hint: "It was removed already, perhaps in another tab.",
    recovery: "reload",
  },
  report_not_found: {
    title: "This report doesn't exist",
    hint: "The address may be mistyped.",
  },
  case_not_found: {
    title: "This case doesn't exist",
    hint: "The address may be mistyped.",
  },
  already_appealed: {
    title: "You have appealed already",
    hint: "You will be told about the outcome.",
  },
  case_changed: {
    title: "The case has just changed",
    hint: "Nothing was changed. Look at its present state, then decide.",
    recovery: "reload",
  },
  too_many_passkeys: {
    title: "You have ten passkeys",
    hint: "Remove one that you no longer use, then add another.",
  },
  mail_unavailable: {
    title: "This hub sends no mail",
    hint: "Ask its operator for help.",
  },
};

Object.assign(addedMessages, furtherErrorMessages);
