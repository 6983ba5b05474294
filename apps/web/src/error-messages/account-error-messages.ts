import {
  addedMessages,
  type ErrorMessage,
  type errorMessages,
  type KnownCode,
} from "./error-messages.ts";

/**
 * The words that load with the pages of accounts and of the staff, which alone need them. The
 * compiler reports a code that has words in neither file.
 */
export const accountErrorMessages: Record<
  Exclude<KnownCode, keyof typeof errorMessages>,
  ErrorMessage
> = {
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

Object.assign(addedMessages, accountErrorMessages);
