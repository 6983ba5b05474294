import { z } from "zod";
import { guestRooms } from "../accounts/guests/guest-rooms.ts";
import { field, message } from "../fields.schema.ts";
import { keyHolder, open, router } from "../trpc/trpc.ts";
import { areComplete, incomplete, proofFields, toSignedText } from "./proof-fields.ts";
import { accountName } from "./wallet.schema.ts";
import { bindWallet, loginWithWallet } from "./wallet.service.ts";
import { webWallet } from "./web-wallets.schema.ts";

const proofFailures = ["invalid_wallet_proof", "chain_unavailable"] as const;

/** The wallet endpoints (specification §4.1). */
export const walletRouter = router({
  wallets: open("public")
    .meta({
      rest: "GET /wallets",
      shared: true,
      summary: "List the web wallets that sign by redirect",
    })
    .output(z.object({ count: field(z.int(), 1), data: z.array(webWallet) }))
    .query(({ ctx }) => {
      const { wallets } = ctx.hub.config;
      return { count: wallets.length, data: [...wallets] };
    }),

  bind: keyHolder("main")
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
    .mutation(({ ctx, input }) =>
      bindWallet(ctx, input.wallet, toSignedText(input, input.message)),
    ),

  login: open("public")
    .meta({
      rest: "POST /wallet-login",
      summary: "Sign in with a bound wallet",
      description:
        "Sets a session cookie for 30 days. Sign as for bind-wallet. A proof works once.",
      setsCookie: "The session cookie, for 30 days.",
      failures: [...proofFailures, "account_deleting"],
    })
    .input(z.object({ account_id: accountName, ...proofFields }).refine(areComplete, incomplete))
    .output(z.object(guestRooms))
    .mutation(({ ctx, input }) =>
      loginWithWallet(ctx, input.account_id, toSignedText(input, input.message)),
    ),
});
