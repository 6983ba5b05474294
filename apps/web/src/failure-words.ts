import type { FailureCode } from "@soul-hub/api";

export type FailureWay =
  | "retry"
  | "sign-in"
  | "settings"
  | "browse"
  | "wait"
  | "shorten"
  | "reload"
  | "none";

export interface Words {
  title: string;
  /** What happened and what the reader can do about it. */
  hint: string;
  way: FailureWay;
}

export type KnownCode = FailureCode | "offline";

const again: FailureWay = "retry";
const busy = "Nothing is lost. Wait a moment, then try again.";

/** Of every code the hub has: the compiler asks for the words of a new one. */
export const words: Record<KnownCode, Words> = {
  offline: {
    title: "No connection to the hub",
    hint: "Check your network, then try again.",
    way: again,
  },
  internal: {
    title: "Something went wrong on our side",
    hint: "It has been noted. Try again in a moment.",
    way: again,
  },
  bad_request: {
    title: "The hub could not read that",
    hint: "Reload the page, then try again.",
    way: "reload",
  },
  invalid_json: {
    title: "The hub could not read that",
    hint: "Reload the page, then try again.",
    way: "reload",
  },
  invalid_input: {
    title: "Something in there is not right",
    hint: "Look at the marked fields.",
    way: "none",
  },
  input_too_long: {
    title: "That message is too long for your plan",
    hint: "Shorten it, or send it in two parts.",
    way: "shorten",
  },
  soul_not_eligible: {
    title: "This mini app doesn't go with that soul",
    hint: "Choose one of the souls that the mini app offers.",
    way: "none",
  },
  image_invalid: {
    title: "That image can't be used",
    hint: "PNG, JPEG, WebP or GIF up to 3.75 MB work.",
    way: "none",
  },
  unauthenticated: {
    title: "Please sign in first",
    hint: "Your session may have ended. You come back here afterwards.",
    way: "sign-in",
  },
  wrong_credentials: {
    title: "Username or password is wrong",
    hint: "Capital letters in the password count; those in the name don't.",
    way: "none",
  },
  wrong_password: {
    title: "The current password is wrong",
    hint: "Type the password you sign in with now. Nothing was changed.",
    way: "none",
  },
  invalid_wallet_proof: {
    title: "The signature does not prove that this wallet is yours",
    hint: "Sign a new message with a full-access key of this wallet. Each works once, for five minutes.",
    way: again,
  },
  pass_required: {
    title: "This needs a vip or pro pass",
    hint: "On this page you can talk without one, within your daily messages.",
    way: "none",
  },
  pass_expired: {
    title: "Your pass has expired",
    hint: "You can go on with the free plan's daily messages.",
    way: "none",
  },
  not_owner: {
    title: "This soul belongs to somebody else",
    hint: "Only its author can change it.",
    way: "browse",
  },
  soul_not_public: {
    title: "This soul is private",
    hint: "Only public souls can be forked. Make it public first.",
    way: "none",
  },
  nft_required: {
    title: "This soul is for who owns one of its tokens",
    hint: "Bind the NEAR wallet that holds one to your account, in your settings. The chain must have confirmed the wallet.",
    way: "settings",
  },
  private_session: {
    title: "This conversation is private",
    hint: "Only the person who started it can be here. You can start your own.",
    way: "browse",
  },
  image_not_allowed: {
    title: "Your plan does not include images",
    hint: "Send the message without the image.",
    way: "none",
  },
  deep_think_not_allowed: {
    title: "Your plan does not include deep think",
    hint: "Send the message without it.",
    way: "none",
  },
  byok_inactive: {
    title: "You have no provider key in use",
    hint: "Save a key of your own, or make a saved one active.",
    way: "none",
  },
  byok_key_rejected: {
    title: "Your provider does not take that key",
    hint: "Check it with your provider, then save it again.",
    way: "none",
  },
  csrf_rejected: {
    title: "The request did not come from this site",
    hint: "Reload the page, then try again.",
    way: "reload",
  },
  not_found: {
    title: "There is nothing here",
    hint: "The address may be mistyped, or what stood here is gone.",
    way: "browse",
  },
  soul_not_found: {
    title: "This soul is not here",
    hint: "It may be private, or its author has taken it down.",
    way: "browse",
  },
  user_not_found: {
    title: "There is nobody by that name",
    hint: "Check the spelling.",
    way: "browse",
  },
  version_not_found: {
    title: "This version is not here",
    hint: "Reload the page to see the versions that there are.",
    way: "reload",
  },
  app_not_found: {
    title: "There is no such mini app",
    hint: "The address may be mistyped. All mini apps are in the list.",
    way: "browse",
  },
  method_not_allowed: {
    title: "The hub does not do that here",
    hint: "Reload the page, then try again.",
    way: "reload",
  },
  username_taken: { title: "That username is taken", hint: "Try another one.", way: "none" },
  wallet_already_bound: {
    title: "Your account already has a wallet",
    hint: "A wallet is bound for good. Go on with the one you have.",
    way: "none",
  },
  wallet_in_use: {
    title: "This wallet belongs to another account",
    hint: "Sign in with the wallet to get into that account, or bind another one.",
    way: "none",
  },
  idempotency_in_flight: {
    title: "This is already under way",
    hint: "Wait a moment, then look again before you repeat it.",
    way: again,
  },
  idempotency_mismatch: {
    title: "This was sent before, with something else in it",
    hint: "Reload the page, then send it as you want it now.",
    way: "reload",
  },
  summary_changed: {
    title: "This has changed meanwhile",
    hint: "Look at it once more, then save again.",
    way: again,
  },
  cancelled: {
    title: "The reply was stopped",
    hint: "It did not count against your daily messages.",
    way: again,
  },
  body_too_large: {
    title: "That is too large to send",
    hint: "Make it smaller, then try again.",
    way: "shorten",
  },
  uri_too_long: {
    title: "That address is too long",
    hint: "Shorten what you are looking for, then try again.",
    way: "shorten",
  },
  headers_too_large: {
    title: "Your browser sent more than the hub reads",
    hint: "Clear the cookies of this site, then reload the page.",
    way: "reload",
  },
  unsupported_media_type: {
    title: "The hub could not read that",
    hint: "Reload the page, then try again.",
    way: "reload",
  },
  rate_limited: {
    title: "A little too fast",
    hint: "Take a breath, then try again in a minute.",
    way: "wait",
  },
  quota_exceeded: {
    title: "Today's messages are used up",
    hint: "You get new ones at the time shown.",
    way: "wait",
  },
  provider_failed: {
    title: "The model did not answer",
    hint: "Your message is kept, and this did not count. Try again.",
    way: again,
  },
  provider_timeout: {
    title: "The model took too long",
    hint: "Your message is kept, and this did not count. Try again.",
    way: again,
  },
  no_model: {
    title: "No model is set up for this",
    hint: "Whoever runs this hub has to choose one first.",
    way: "none",
  },
  chain_unavailable: {
    title: "The blockchain does not answer",
    hint: "Your wallet could not be checked, and nothing was changed. Wait a moment, then try again.",
    way: again,
  },
  overloaded: { title: "The hub is busy", hint: busy, way: again },
  shutting_down: { title: "The hub is restarting", hint: busy, way: again },
};
