import { z } from "zod";
import { id } from "../../../fields.schema.ts";
import { decodeNonce, decodePublicKey, decodeSignature } from "../../../wallet/proof-encoding.ts";
import { type SignedText, validSignature } from "../../../wallet/signed-proof.ts";
import { manifestDigest } from "../../version/version-digest.ts";
import { type VersionSignature, versionSignature } from "../../version/version-signature.schema.ts";
import { versionStatement } from "./version-statement.ts";

/** The part of the `data` of GET /api/version that a verification reads. */
export const signedVersion = z.object({
  soul_id: id,
  number: id,
  title: z.string(),
  description: z.string(),
  digest: z.string().nullable(),
  signature: versionSignature.nullable(),
});

type SignedVersion = z.infer<typeof signedVersion>;

/** A `problem` for people, or the facts that the signature proves. */
export type Verdict = { problem: string } | { hub: string; digest: string; by: VersionSignature };

/**
 * Verifies digest and signature of a version without the hub (0036).
 * @param files the bytes of its files by name
 */
export function verifyVersion(
  version: SignedVersion,
  files: Readonly<Record<string, Uint8Array>>,
): Verdict {
  const { soul_id, number, title, description, signature } = version;
  if (!signature) return { problem: `Version ${number} of soul ${soul_id} has no signature.` };
  const [, hub = "", signedDigest] =
    /^[^\n]+\nhub: ([\w.:[\]-]+)\n[^\n]+\ndigest: (.+)$/.exec(signature.statement) ?? [];
  const digest = manifestDigest({ title, description, files });
  if (signedDigest !== digest || (version.digest ?? digest) !== digest) {
    const names = Object.keys(files)
      .sort()
      .map((name) => JSON.stringify(name))
      .join(", ");
    return {
      problem: `The signature is for other texts. The digest of title, description and files (${names}) is ${digest}.`,
    };
  }
  if (signature.statement !== versionStatement({ hub, soul_id, number, digest })) {
    return { problem: `The signature is not for version ${number} of soul ${soul_id}.` };
  }
  if (signature.nonce !== null && signature.recipient !== hub) {
    return { problem: "The recipient of the NEP-413 payload is not the hub of the statement." };
  }
  const signed = toSigned(signature);
  if (!signed || !validSignature(signed)) return { problem: "The signature is not valid." };
  return { hub, digest, by: signature };
}

/** Decodes a stored signature. Null if a key, signature or nonce has a wrong length. */
function toSigned({ statement, ...stored }: VersionSignature): SignedText | null {
  const publicKey = decodePublicKey(stored.public_key);
  const signatures = decodeSignature(stored.signature);
  const nonce = stored.nonce === null ? null : decodeNonce(stored.nonce);
  if (!publicKey || !signatures || (stored.nonce !== null && !nonce)) return null;
  const { recipient, callback_url: callbackUrl } = stored;
  const envelope = nonce && { nonce, recipient: recipient ?? "", callbackUrl };
  return { publicKey, signatures, message: statement, envelope };
}
