import type { FailureCode } from "@soul-hub/api";

export interface ErrorMessage {
  title: string;
  /** The meaning of the error for the user, and the next step. */
  hint: string;
  /** The action that a page offers with the message; by default, to try again. */
  recovery?: "sign-in" | "settings" | "browse" | "wait" | "reload" | "undo-deletion" | "notices";
}

export type KnownCode = FailureCode | "offline";

/** The words of `further-error-messages.ts`, once a call has failed. */
export const addedMessages: Partial<Record<KnownCode, ErrorMessage>> = {};

const busy = "Nothing is lost. Wait a moment, then try again.";
const goneInvite: ErrorMessage = {
  title: "This invite no longer works",
  hint: "It has expired, is used up or was withdrawn. Ask for a new one.",
  recovery: "browse",
};

/**
 * The messages of the failures that are shown without a failed call, such as those of a room. All
 * others load with the first call that fails.
 */
export const errorMessages = {
  offline: {
    title: "No connection to the hub",
    hint: "Check your network, then try again.",
  },
  internal: {
    title: "Something went wrong in the hub",
    hint: "Its operator can see the problem. Try again in a moment.",
  },
  invalid_input: {
    title: "Some fields need your attention",
    hint: "Correct the marked fields, then try again.",
  },
  input_too_long: {
    title: "Your message is too long for your plan",
    hint: "Shorten the message, or send it in two parts.",
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
  version_withdrawn: {
    title: "The author has hidden this version",
    hint: "The owner of this conversation can choose another version.",
  },
  banned: {
    title: "You can't enter this conversation",
    hint: "Its owner has banned you from it.",
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
  cancelled: {
    title: "The reply was stopped",
    hint: "It did not count towards your daily messages.",
  },
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
  maintenance: {
    title: "The hub is being moved",
    hint: "Reading still works. Nothing was changed; try again in a few minutes.",
  },
  storage_full: {
    title: "The hub has no disk space left",
    hint: "Reading still works. Its operator has to free some space.",
  },
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
  blocked: {
    title: "You can't do that here",
    hint: "The owner of this soul or room has blocked you.",
  },
  overloaded: { title: "The hub is busy", hint: busy },
  shutting_down: { title: "The hub is restarting", hint: busy },
  not_owner: {
    title: "This soul belongs to another account",
    hint: "Only its author can change it.",
    recovery: "browse",
  },
  share_not_found: {
    title: "This conversation isn't shared any more",
    hint: "Its owner has withdrawn the link, or the soul is no longer public.",
    recovery: "browse",
  },
  app_not_found: {
    title: "This mini app doesn't exist",
    hint: "The address may be mistyped.",
    recovery: "browse",
  },
  invite_not_found: goneInvite,
  invite_invalid: goneInvite,
} satisfies Partial<Record<KnownCode, ErrorMessage>>;
