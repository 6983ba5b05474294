import type { FailureCode } from "@soul-hub/api";

export interface ErrorMessage {
  title: string;
  /** The meaning of the error for the user, and the next step. */
  hint: string;
  /** The action that a page offers with the message; by default, to try again. */
  recovery?: "sign-in" | "settings" | "browse" | "wait" | "reload" | "undo-deletion" | "notices";
}

export type KnownCode = FailureCode | "offline";

/** Words that a page has added to {@link errorMessages}. */
export const addedMessages: Partial<Record<KnownCode, ErrorMessage>> = {};

const busy = "Nothing is lost. Wait a moment, then try again.";
const unreadable: ErrorMessage = {
  title: "The hub could not read the request",
  hint: "Reload the page, then try again.",
  recovery: "reload",
};

const goneInvite: ErrorMessage = {
  title: "This invite no longer works",
  hint: "It has expired, is used up or was withdrawn. Ask for a new one.",
  recovery: "browse",
};

/** One message per error code of the API, except those of `account-error-messages.ts`. */
export const errorMessages = {
  offline: {
    title: "No connection to the hub",
    hint: "Check your network, then try again.",
  },
  internal: {
    title: "Something went wrong in the hub",
    hint: "Its operator can see the problem. Try again in a moment.",
  },
  bad_request: unreadable,
  invalid_json: unreadable,
  invalid_input: {
    title: "Some fields need your attention",
    hint: "Correct the marked fields, then try again.",
  },
  input_too_long: {
    title: "Your message is too long for your plan",
    hint: "Shorten the message, or send it in two parts.",
  },
  soul_not_eligible: {
    title: "This mini app doesn't support that soul",
    hint: "Choose one of the souls in the list.",
  },
  import_invalid: {
    title: "This file can't be imported",
    hint: "Choose a soul package, a character card or a Markdown file.",
  },
  image_invalid: {
    title: "That image can't be used",
    hint: "Choose a PNG, JPEG, WebP or GIF of at most 3.75 MB.",
  },
  unauthenticated: {
    title: "Sign in to continue",
    hint: "You return to this page afterwards.",
    recovery: "sign-in",
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
  not_owner: {
    title: "This soul belongs to another account",
    hint: "Only its author can change it.",
    recovery: "browse",
  },
  scope_missing: {
    title: "This API key may not do that",
    hint: "Use a key with the scope that the request needs.",
    recovery: "settings",
  },
  soul_not_public: {
    title: "This soul is private",
    hint: "Only public souls can be forked. Make it public first.",
  },
  nft_required: {
    title: "This soul is for holders of an NFT",
    hint: "In your settings, bind the NEAR wallet that holds it.",
    recovery: "settings",
  },
  private_session: {
    title: "This conversation is private",
    hint: "Only its owner and invited people can open it. You can start your own.",
    recovery: "browse",
  },
  image_not_allowed: {
    title: "Your plan does not include images",
    hint: "Send the message without the image.",
  },
  deep_think_not_allowed: {
    title: "Your plan does not include deep think",
    hint: "Send the message without deep think.",
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
  not_found: {
    title: "This page doesn't exist",
    hint: "The address may be mistyped, or the page was deleted.",
    recovery: "browse",
  },
  soul_not_found: {
    title: "This soul doesn't exist",
    hint: "It may be private, or its author has deleted it.",
    recovery: "browse",
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
  version_withdrawn: {
    title: "The author has hidden this version",
    hint: "The owner of this conversation can choose another version.",
  },
  banned: {
    title: "You can't enter this conversation",
    hint: "Its owner has banned you from it.",
  },
  invite_not_found: goneInvite,
  share_not_found: {
    title: "This conversation isn't shared any more",
    hint: "Its owner has withdrawn the link, or the soul is no longer public.",
    recovery: "browse",
  },
  room_not_found: {
    title: "This conversation was deleted",
    hint: "Only its former owner can begin it anew.",
    recovery: "browse",
  },
  message_not_found: {
    title: "This message doesn't exist",
    hint: "It may have been removed.",
  },
  muted: {
    title: "You can't talk in this conversation",
    hint: "Its owner decides who may talk. You can still read it.",
  },
  room_changed: {
    title: "The conversation has changed",
    hint: "Nothing was changed. Look at the present state, then try again.",
  },
  limit_reached: {
    title: "The limit is reached",
    hint: "Nothing was changed.",
  },
  app_not_found: {
    title: "This mini app doesn't exist",
    hint: "The address may be mistyped.",
    recovery: "browse",
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
  cancelled: {
    title: "The reply was stopped",
    hint: "It did not count towards your daily messages.",
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
  rate_limited: {
    title: "Too many requests",
    hint: "Wait a minute, then try again.",
    recovery: "wait",
  },
  quota_exceeded: {
    title: "You have reached today's message limit",
    hint: "You can send messages again tomorrow.",
    recovery: "wait",
  },
  provider_failed: {
    title: "The model did not answer",
    hint: "Your message did not count towards your daily messages. Try again.",
  },
  provider_timeout: {
    title: "The model took too long",
    hint: "Your message did not count towards your daily messages. Try again.",
  },
  no_model: {
    title: "This hub has no model for that yet",
    hint: "Its operator can set one up.",
  },
  chain_unavailable: {
    title: "The NEAR blockchain is not responding",
    hint: "Your wallet could not be checked, and nothing was changed. Try again in a moment.",
  },
  misdirected_request: {
    title: "The hub can't be opened at this address",
    hint: "Ask its operator for the right address.",
  },
  maintenance: {
    title: "The hub is being moved",
    hint: "Reading still works. Nothing was changed; try again in a few minutes.",
  },
  storage_full: {
    title: "The hub has no disk space left",
    hint: "Reading still works. Its operator has to free some space.",
  },
  invite_invalid: goneInvite,
  email_unverified: {
    title: "Verify your email address first",
    hint: "Open the link in the mail that you got. In your settings you can have it sent again.",
    recovery: "settings",
  },
  account_suspended: {
    title: "Your account is restricted",
    hint: "Your notices say why, until when, and how to appeal.",
    recovery: "notices",
  },
  account_deleting: {
    title: "This account is closed and will be deleted",
    hint: "Until then you can undo it.",
    recovery: "undo-deletion",
  },
  blocked: {
    title: "You can't do that here",
    hint: "The owner of this soul or room has blocked you.",
  },
  overloaded: { title: "The hub is busy", hint: busy },
  shutting_down: { title: "The hub is restarting", hint: busy },
} satisfies Partial<Record<KnownCode, ErrorMessage>>;
