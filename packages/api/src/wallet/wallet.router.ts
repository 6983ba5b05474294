import { z } from "zod";
import { field, message } from "../fields.schema.ts";
import { keyHolder, open, router } from "../trpc/trpc.ts";
import { proofFields } from "./proof-fields.ts";
import type { WalletProof } from "./signed-proof.ts";
import { accountName } from "./wallet.schema.ts";
import { bindWallet, loginWithWallet } from "./wallet.service.ts";

type ProofInput = z.output<z.ZodObject<typeof proofFields>>;

/**
 * True if the NEP-413 fields of a proof are complete. Either `nonce` and `recipient` are given, or
 * no field is.
 */
const areComplete = ({ nonce, recipient, callback_url }: Partial<ProofInput>) =>
  nonce === undefined
    ? recipient === undefined && callback_url === undefined
    : recipient !== undefined;
const incomplete = { path: ["nonce"], message: "must be sent together with recipient" };

const toProof = (input: ProofInput): WalletProof => ({
  publicKey: input.public_key,
  signatures: input.signature,
  message: input.message,
  envelope:
    input.nonce && input.recipient !== undefined
      ? { nonce: input.nonce, recipient: input.recipient, callbackUrl: input.callback_url ?? null }
      : null,
});

const proofFailures = ["invalid_wallet_proof", "chain_unavailable"] as const;

/** The wallet endpoints (specification §4.1). */
export const walletRouter = router({
  bind: keyHolder
    .meta({
      rest: "POST /bind-wallet",
      summary: "Bind a blockchain wallet to your account permanently",
      description:
        "Sign `message`, its SHA-256, or the NEP-413 payload (then also send `nonce` and `recipient`). A proof works once.",
      failures: ["wallet_already_bound", "wallet_in_use", ...proofFailures],
    })
    .input(
      z
        .object({
          action: field(z.literal("bind").default("bind"), "bind"),
          wallet: accountName,
          ...proofFields,
        })
        .refine(areComplete, incomplete),
    )
    .output(
      z.object({
        message: field(message, "The wallet ada.near is permanently bound to your account."),
      }),
    )
    .mutation(({ ctx, input }) => bindWallet(ctx, input.wallet, toProof(input))),

  login: open
    .meta({
      rest: "POST /wallet-login",
      summary: "Sign in with a bound wallet",
      description:
        "Sets a session cookie for 30 days. Sign as for bind-wallet. A proof works once.",
      setsCookie: "The session cookie, for 30 days.",
      failures: proofFailures,
    })
    .input(z.object({ account_id: accountName, ...proofFields }).refine(areComplete, incomplete))
    .output(z.object({}))
    .mutation(({ ctx, input }) => loginWithWallet(ctx, input.account_id, toProof(input))),
});
