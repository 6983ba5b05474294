import { Textarea, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import type { Failure } from "../../failures.ts";
import { textOf } from "../../form-data.ts";
import { CopyableCode } from "../feedback/copyable-code.tsx";

/**
 * Interval in milliseconds at which the message to sign is renewed. A wallet proof is valid for
 * five minutes (decisions §4), so at least one minute remains for signing and sending.
 */
const RENEW_MS = 4 * 60_000;

const newMessage = () => `service_auth:${Date.now()}`;

/**
 * Returns the message of a wallet proof, which is renewed before it expires. Also returns a
 * function that reads the proof from a form's fields.
 */
export function useWalletProof() {
  const [message, setMessage] = useState(newMessage);
  const renew = () => setMessage(newMessage());
  useInterval(renew, RENEW_MS, { autoInvoke: true });
  return {
    message,
    /**
     * Creates a new message to sign. Call it after a failure, because a wallet proof works only
     * once.
     */
    renew,
    read: (form: FormData) => ({
      public_key: textOf(form, "public_key"),
      signature: textOf(form, "signature"),
      message,
    }),
  };
}

export const accountOf = (form: FormData) => textOf(form, "account");

interface WalletProofFieldsProps {
  proof: ReturnType<typeof useWalletProof>;
  failure: Failure | undefined;
  /**
   * The error of the field for the NEAR account. The API names that field differently per endpoint.
   */
  accountError: string | undefined;
}

/**
 * The form fields of a wallet proof: the account, the message to sign, the public key and the
 * signature.
 */
export function WalletProofFields({ proof, failure, accountError }: WalletProofFieldsProps) {
  return (
    <>
      <TextInput
        name="account"
        label="NEAR account"
        placeholder="ada.near"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={accountError}
      />
      <div>
        <p className="wallet-proof__label">Sign this exact message with a full-access key</p>
        <CopyableCode text={proof.message} />
        <p className="wallet-proof__hint">
          Valid for five minutes. A new message replaces it before it expires.
        </p>
      </div>
      <TextInput
        name="public_key"
        label="Public key"
        placeholder="ed25519:…"
        autoComplete="off"
        spellCheck={false}
        required
        error={failure?.fields.public_key}
      />
      <Textarea
        name="signature"
        label="Signature"
        description="64 bytes as hex, base64 or base58, as your wallet writes it."
        autoComplete="off"
        spellCheck={false}
        required
        error={failure?.fields.signature}
      />
    </>
  );
}
