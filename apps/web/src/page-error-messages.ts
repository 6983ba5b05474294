export interface ErrorMessage {
  title: string;
  /** What the error means for the user, and what the user can do. */
  hint: string;
  /** The action that a page offers with the message; by default, to try again. */
  recovery?: "sign-in" | "settings" | "browse" | "wait" | "reload" | "undo-deletion" | "notices";
}

/** Failures that the page finds without a call of the hub. */
export type PageCode =
  | "offline"
  | "wallet_declined"
  | "wallet_unasked"
  | "passkey_cancelled"
  | "passkey_present"
  | "passkey_unsupported";

export const pageErrorMessages: Record<PageCode, ErrorMessage> = {
  offline: {
    title: "No connection to the hub",
    hint: "Check your network, then try again.",
  },
  wallet_declined: {
    title: "The wallet did not sign",
    hint: "Nothing was changed. You can ask it again.",
  },
  wallet_unasked: {
    title: "This page did not ask for that signature",
    hint: "Nothing was changed. Begin again here, in this tab.",
  },
  passkey_cancelled: {
    title: "No passkey was used",
    hint: "Nothing was changed. You can try again.",
  },
  passkey_present: {
    title: "This device already has a passkey for your account",
    hint: "You can sign in with it.",
  },
  passkey_unsupported: {
    title: "This browser can't use passkeys here",
    hint: "Use your password, or another browser.",
  },
};
