import type { MailContent } from "../mail/render-mail.ts";

/** The pages at which mailed links end. They post the token; opening them changes nothing (0059). */
export const RESET_PATH = "/reset-password";
const VERIFY_PATH = "/verify-email";

/** Minutes that a link to a new password works. */
export const RESET_MINUTES = 60;
/** Hours that a link to a new address works. */
export const CHANGE_HOURS = 24;
/** Days that a link takes a change of the address back. */
export const RESTORE_DAYS = 7;

const NOT_YOU =
  "If it was not you, set a new password now: somebody else may know the present one.";

/** @param accounts those of the address, each with its link */
export const forgottenPassword = (
  accounts: readonly { username: string; token: string }[],
): MailContent => ({
  subject: "Set a new password",
  paragraphs: [
    accounts.length === 1
      ? "Somebody, probably you, has forgotten the password of your account."
      : "Somebody, probably you, has forgotten the password of an account with this address.",
    `Each link works once, for ${RESET_MINUTES} minutes after it was made. If you did not ask for it, ignore this mail: your password stays as it is.`,
  ],
  links: accounts.map(({ username, token }) => ({
    label: accounts.length === 1 ? "Set a new password" : `Set a new password for ${username}`,
    path: RESET_PATH,
    token,
  })),
});

export const verification = (token: string): MailContent => ({
  subject: "Verify your address",
  paragraphs: [
    "An account was registered with this address. Verify that it is yours, so that you can set a new password if you forget it.",
    `The link works once, for ${CHANGE_HOURS} hours after it was made. If you did not register, ignore this mail.`,
  ],
  links: [{ label: "Verify this address", path: VERIFY_PATH, token }],
});

export const newAddress = (token: string): MailContent => ({
  subject: "Use this address for your account",
  paragraphs: [
    "You asked for this address to be the one of your account.",
    `The link works once, for ${CHANGE_HOURS} hours after it was made. If you did not ask for it, ignore this mail.`,
  ],
  links: [{ label: "Use this address", path: VERIFY_PATH, token }],
});

export const addressChange = (token: string): MailContent => ({
  subject: "The address of your account is changing",
  paragraphs: [
    "Somebody, probably you, is changing the address of your account to another one. If it was you, ignore this mail.",
    `If it was not you, take the change back. The link works once, for ${RESTORE_DAYS} days after it was made. It also signs out every browser. Set a new password afterwards.`,
  ],
  links: [{ label: "Take the change back", path: VERIFY_PATH, token }],
});

export const passwordChanged: MailContent = {
  subject: "Your password was changed",
  paragraphs: ["The password of your account was changed. Every browser is signed out.", NOT_YOU],
  links: [{ label: "Set a new password", path: "/forgot-password" }],
};

export const keyReplaced: MailContent = {
  subject: "Your API key was replaced",
  paragraphs: [
    "The main API key of your account was replaced. The old one no longer works.",
    NOT_YOU,
  ],
  links: [{ label: "See your API keys", path: "/settings/keys" }],
};

export const keyCreated = (name: string): MailContent => ({
  subject: "A new API key",
  paragraphs: [`Your account has a new API key: ${name}.`, NOT_YOU],
  links: [{ label: "See your API keys", path: "/settings/keys" }],
});
