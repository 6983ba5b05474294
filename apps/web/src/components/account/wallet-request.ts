import { PageFailure } from "../../failures.ts";
import { newMessage } from "./wallet-proof.tsx";

/** The purpose of a signature of a web wallet. */
export type WalletPurpose =
  /** `next` is the path to open after the sign-in. */
  { kind: "sign-in"; next?: string | undefined } | { kind: "bind"; username: string };

/** The request that this tab has sent to a web wallet (0069). */
interface WalletRequest {
  purpose: WalletPurpose;
  message: string;
  nonce: string;
  state: string;
}

const STORED_AS = "wallet-request";
const RANDOM_BYTES = 32;

const declined = () =>
  new PageFailure("The wallet did not sign", "Nothing was changed. You can ask it again.");

/** The failure of an answer that this tab did not ask for. */
export const unasked = () =>
  new PageFailure(
    "This page did not ask for that signature",
    "Nothing was changed. Begin again here, in this tab.",
  );

const callbackUrl = () => `${location.origin}/wallet`;

const randomBase64 = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))));

/** Leaves the page for a web wallet, which signs by NEP-413 and comes back to `/wallet`. */
export function askWallet(url: string, purpose: WalletPurpose): void {
  const request = { message: newMessage(), nonce: randomBase64(), state: randomBase64() };
  sessionStorage.setItem(STORED_AS, JSON.stringify({ ...request, purpose }));
  const address = new URL(url);
  const query = { ...request, recipient: location.host, callbackUrl: callbackUrl() };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  location.assign(address);
}

/** The purpose of this tab's last request; undefined if the tab has none. */
export const walletPurpose = (): WalletPurpose | undefined => storedRequest()?.purpose;

/**
 * Takes the wallet's answer from the address and the storage, so that it is sent once and does not
 * stay in the history. An answer counts only with the `state` of this tab's own request. Another
 * website could otherwise sign its visitors in to an account of its choice, or bind a wallet of its
 * choice (0069).
 * @throws PageFailure
 */
export function takeWalletAnswer() {
  const fields = new URLSearchParams(location.hash.slice(1));
  history.replaceState(history.state, "", location.pathname);
  if (fields.has("error")) throw declined();
  const request = storedRequest();
  // A wallet may leave the "+" of base64 as it is, which a query reads as a space.
  const read = (name: string) => (fields.get(name) ?? "").replaceAll(" ", "+");
  if (!request || read("state") !== request.state) throw unasked();
  sessionStorage.removeItem(STORED_AS);
  const { purpose, message, nonce } = request;
  return {
    purpose,
    wallet: read("accountId"),
    proof: {
      message,
      nonce,
      recipient: location.host,
      callback_url: callbackUrl(),
      public_key: read("publicKey"),
      signature: read("signature"),
    },
  };
}

function storedRequest(): WalletRequest | undefined {
  const text = sessionStorage.getItem(STORED_AS);
  return text ? (JSON.parse(text) as WalletRequest) : undefined;
}
