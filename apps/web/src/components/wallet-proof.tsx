import { Textarea, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import type { Failure } from "../failures.ts";
import { CopyTextButton } from "./copy-text-button.tsx";

/** The hub takes a proof for five minutes (decisions §4); a minute is left for signing and sending. */
const RENEW_MS = 4 * 60_000;

const newMessage = () => `service_auth:${Date.now()}`;

/** The message to sign, renewed before it is too old, and what was filled in around it. */
export function useWalletProof() {
  const [message, setMessage] = useState(newMessage);
  const renew = () => setMessage(newMessage());
  useInterval(renew, RENEW_MS, { autoInvoke: true });
  return {
    message,
    /** A proof works once: after a failure a new one is needed. */
    renew,
    read: (form: FormData) => ({
      public_key: String(form.get("public_key")).trim(),
      signature: String(form.get("signature")).trim(),
      message,
    }),
  };
}

export const accountOf = (form: FormData) => String(form.get("account")).trim();

interface WalletProofFieldsProps {
  proof: ReturnType<typeof useWalletProof>;
  failure: Failure | undefined;
  /** The hub has two names for the account's field: each page knows its own. */
  accountError: string | undefined;
}

/** Whose wallet, the exact message to sign, and a place for what the wallet makes of it. */
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
        withAsterisk={false}
        error={accountError}
      />
      <div>
        <p className="wallet-proof__label">Sign exactly this message with a full-access key</p>
        <div className="api-key">
          <code>{proof.message}</code>
          <CopyTextButton text={proof.message} label="Copy" />
        </div>
        <p className="wallet-proof__hint">
          It is good for five minutes and replaced by itself; sign the one that stands here.
        </p>
      </div>
      <TextInput
        name="public_key"
        label="Public key"
        placeholder="ed25519:…"
        autoComplete="off"
        spellCheck={false}
        required
        withAsterisk={false}
        error={failure?.fields.public_key}
      />
      <Textarea
        name="signature"
        label="Signature"
        description="64 bytes as hex, base64 or base58, as your wallet writes it."
        autoComplete="off"
        spellCheck={false}
        required
        withAsterisk={false}
        error={failure?.fields.signature}
      />
    </>
  );
}
