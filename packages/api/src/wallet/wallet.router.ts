import { z } from "zod";
import { message } from "../fields.schema.ts";
import { keyHolder, open, router } from "../trpc.ts";
import { decodeNonce, decodePublicKey, decodeSignature } from "./proof-encoding.ts";
import type { WalletProof } from "./signed-proof.ts";
import {
  accountName,
  callbackUrl,
  nonceText,
  publicKeyText,
  recipient,
  signatureText,
  signedMessage,
} from "./wallet.schema.ts";
import { bindWallet, loginWithWallet } from "./wallet.service.ts";

const tag = "Accounts";

/** The fields of a proof (specification §5.3; encodings and NEP-413 as decisions §4). */
const proofFields = {
  public_key: publicKeyText.transform((text, refinement) => {
    const key = decodePublicKey(text);
    if (key) return key;
    refinement.addIssue("must be exactly 32 bytes");
    return z.NEVER;
  }),
  signature: signatureText.transform((text, refinement) => {
    const signatures = decodeSignature(text);
    if (signatures.length > 0) return signatures;
    refinement.addIssue("must be exactly 64 bytes in hex, base64, base64url or base58");
    return z.NEVER;
  }),
  message: signedMessage,
  nonce: nonceText
    .transform((text, refinement) => {
      const nonce = decodeNonce(text);
      if (nonce) return nonce;
      refinement.addIssue("must be exactly 32 bytes in base64");
      return z.NEVER;
    })
    .optional(),
  recipient: recipient.optional(),
  callback_url: callbackUrl.optional(),
};

type ProofInput = z.output<z.ZodObject<typeof proofFields>>;

/** The three fields of NEP-413 make sense together alone. */
const areComplete = ({ nonce, recipient, callback_url }: Partial<ProofInput>) =>
  nonce === undefined
    ? recipient === undefined && callback_url === undefined
    : recipient !== undefined;
const incomplete = { path: ["nonce"], message: "nonce and recipient go together" };

const toProof = (input: ProofInput): WalletProof => ({
  publicKey: input.public_key,
  signatures: input.signature,
  message: input.message,
  envelope:
    input.nonce && input.recipient !== undefined
      ? {
          nonce: input.nonce,
          recipient: input.recipient,
          callbackUrl: input.callback_url ?? null,
        }
      : null,
});

/** Specification §4.1. */
export const walletRouter = router({
  bind: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/bind-wallet",
        tag,
        summary: "Bind a blockchain wallet to your account, for good",
        description:
          "Sign `message` itself, its SHA-256, or the NEP-413 payload (then send `nonce` and `recipient` too). A signature works once.",
        failures: [
          "invalid_wallet_proof",
          "wallet_already_bound",
          "wallet_in_use",
          "chain_unavailable",
        ],
      },
    })
    .input(
      z
        .object({
          action: z
            .literal("bind")
            .default("bind")
            .meta({ examples: ["bind"] }),
          wallet: accountName,
          ...proofFields,
        })
        .refine(areComplete, incomplete),
    )
    .output(
      z.object({
        message: message.meta({
          examples: ["The wallet ada.near is bound to your account, for good."],
        }),
      }),
    )
    .mutation(({ ctx, input }) => bindWallet(ctx, input.wallet, toProof(input))),

  login: open
    .meta({
      rest: {
        method: "POST",
        path: "/wallet-login",
        tag,
        summary: "Sign in with a bound wallet",
        description:
          "Sets a session cookie for 30 days. Sign as for bind-wallet; a signature works once.",
        setsCookie: "The session, for 30 days.",
        failures: ["invalid_wallet_proof", "chain_unavailable"],
      },
    })
    .input(z.object({ account_id: accountName, ...proofFields }).refine(areComplete, incomplete))
    .output(z.object({}))
    .mutation(({ ctx, input }) => loginWithWallet(ctx, input.account_id, toProof(input))),
});
