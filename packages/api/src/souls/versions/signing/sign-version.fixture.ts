import {
  prove,
  proveByNep413,
  sha256,
  type TestWallet,
  toBase64,
} from "../../../wallet/wallet.fixture.ts";

/** A version, as its author's statement names it. */
export interface StatedVersion {
  /** The host of the hub. */
  host: string;
  soul_id: number;
  number: number;
  digest: string;
}

/** The statement as specification and decision 0036 write it, without the hub's own code. */
export const statementOf = ({ host, soul_id, number, digest }: StatedVersion): string =>
  `soulhub-version/1\nhub: ${host}\nsoul: ${soul_id} version ${number}\ndigest: ${digest}`;

/** The forms in which wallets sign a text (decisions §4, Encoding). */
export const signedForms = ["the text", "its SHA-256", "NEP-413"] as const;
export type SignedForm = (typeof signedForms)[number];

/** Signs a text in one of the forms. Returns the fields of a request, the text among them. */
export function signAs(form: SignedForm, wallet: TestWallet, text: string, host: string) {
  if (form === "NEP-413") return proveByNep413(wallet, host, { message: text });
  const proof = prove(wallet, text);
  return form === "the text" ? proof : { ...proof, signature: toBase64(wallet.sign(sha256(text))) };
}
