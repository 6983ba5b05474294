import { PageFailure } from "../../failures.ts";
import { hub } from "../../hub.ts";

/** Whether the browser has passkeys. It has none on an address without https, but for localhost. */
export const hasPasskeys = (): boolean => "PublicKeyCredential" in window;

/** The library loads on the first use of a passkey, since most visits use none. */
const load = () => import("@simplewebauthn/browser");

/**
 * Lets a device sign a challenge of the hub with a passkey.
 * @throws PageFailure, or the failure of the call
 */
export async function answerWithPasskey() {
  const [{ startAuthentication }, { options }] = await Promise.all([
    load(),
    hub.accounts.passkeyOptions.mutate({ purpose: "sign-in" }),
  ]);
  type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];
  return startAuthentication({ optionsJSON: options as Options }).catch(explain);
}

/**
 * Lets a device make a passkey.
 * @param password checked first, so that a wrong one leaves no passkey on the device
 * @throws PageFailure, or the failure of the call
 */
export async function makePasskey(password: string | undefined) {
  const [{ startRegistration }, { options }] = await Promise.all([
    load(),
    hub.accounts.passkeyOptions.mutate({ purpose: "add", password }),
  ]);
  type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
  return startRegistration({ optionsJSON: options as unknown as Options }).catch(explain);
}

/** Turns an error of the browser into words. Its names are those of WebAuthn. */
function explain({ name }: Error): never {
  if (name === "InvalidStateError") {
    throw new PageFailure(
      "This device already has a passkey for your account",
      "You can sign in with it.",
    );
  }
  if (name === "NotAllowedError" || name === "AbortError") {
    throw new PageFailure("No passkey was used", "Nothing was changed. You can try again.");
  }
  throw new PageFailure(
    "This browser can't use passkeys here",
    "Use your password, or another browser.",
  );
}
