import type { FailureCode } from "@soul-hub/api";

export type FailureWay = "retry" | "sign-in" | "browse" | "wait" | "shorten" | "reload" | "none";

export interface Words {
  title: string;
  /** What happened and what the reader can do about it. */
  hint: string;
  way: FailureWay;
}

export type KnownCode = FailureCode | "offline";

const again: FailureWay = "retry";
const busy = "Nothing is lost. Wait a moment, then try again.";

/** A code without an entry is told in the hub's own words: no page can meet it yet. */
export const words: Partial<Record<KnownCode, Words>> & { internal: Words } = {
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
  username_taken: { title: "That username is taken", hint: "Try another one.", way: "none" },
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
  overloaded: { title: "The hub is busy", hint: busy, way: again },
  shutting_down: { title: "The hub is restarting", hint: busy, way: again },
};
