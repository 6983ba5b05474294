import { Textarea, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { textOf } from "../../form-data.ts";
import { CopyField } from "../feedback/copy-field.tsx";

/**
 * Interval in milliseconds at which the message to sign is renewed. A wallet proof is valid for
 * five minutes (decisions §4), so at least one minute remains for signing and sending.
 */
const RENEW_MS = 4 * 60_000;

/** A new message of a wallet proof, with the present time. */
export const newMessage = () => `service_auth:${Date.now()}`;

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
    read: (form: FormData) => ({ ...readSignature(form), message }),
  };
}

/** Reads the fields of {@link SignedTextFields}. */
export const readSignature = (form: FormData) => ({
  public_key: textOf(form, "public_key"),
  signature: textOf(form, "signature"),
});

export const accountOf = (form: FormData) => textOf(form, "account");

type FieldErrors = Readonly<Record<string, string | undefined>>;

interface WalletProofFieldsProps {
  proof: ReturnType<typeof useWalletProof>;
  /** The error of each invalid field, by name. */
  errors: FieldErrors;
}

/** The form fields of a wallet proof: the account and those of a signed message. */
export function WalletProofFields({ proof, errors }: WalletProofFieldsProps) {
  return (
    <>
      <TextInput
        name="account"
        label="NEAR account"
        placeholder="ada.near"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={errors.account}
      />
      <SignedTextFields
        label="Sign this exact message with a full-access key"
        text={proof.message}
        hint="Valid for five minutes. A new message replaces it before it expires."
        errors={errors}
      />
    </>
  );
}

interface SignedTextFieldsProps {
  label: string;
  /** The text to sign. */
  text: string;
  hint: string;
  /** The error of each invalid field, by name. */
  errors: FieldErrors;
  /** Further fields, shown between the text and the public key. */
  children?: ReactNode;
}

/** The form fields of a signed text: the text to copy, the public key and the signature. */
export function SignedTextFields({ label, text, hint, errors, children }: SignedTextFieldsProps) {
  return (
    <>
      <div>
        <p className="subheading">{label}</p>
        <CopyField text={text} />
        <p className="small">{hint}</p>
      </div>
      {children}
      <TextInput
        name="public_key"
        label="Public key"
        placeholder="ed25519:…"
        autoComplete="off"
        spellCheck={false}
        required
        error={errors.public_key}
      />
      <Textarea
        name="signature"
        label="Signature"
        description="64 bytes as hex, base64 or base58, as your wallet writes it."
        autoComplete="off"
        spellCheck={false}
        required
        error={errors.signature}
      />
    </>
  );
}
