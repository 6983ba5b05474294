import { z } from "zod";
import { id } from "../../../fields.schema.ts";
import { keyHolder, router } from "../../../trpc/trpc.ts";
import { areComplete, incomplete, signatureFields } from "../../../wallet/proof-fields.ts";
import { versionNumber } from "../../version/version.schema.ts";
import { versionSignature } from "../../version/version-signature.schema.ts";
import { signVersion } from "./sign-version.service.ts";

/** The signature of a version, in `versions` of the list of slices (decisions §7). */
export const versionSignatureRouter = router({
  sign: keyHolder("souls:write")
    .meta({
      rest: "POST /version-signature",
      summary: "Sign a version of your soul with your wallet",
      description:
        "The signed text is four lines without a line break at the end: `soulhub-version/1`, `hub: <host of this hub>`, `soul: <id> version <number>`, `digest: <digest>`. Sign it, its SHA-256, or the NEP-413 payload (then also send `nonce` and `recipient`). A version has one signature for ever; the same again is 200.",
      failures: [
        "soul_not_found",
        "not_owner",
        "version_not_found",
        "wallet_required",
        "invalid_wallet_proof",
        "version_signed",
        "chain_unavailable",
      ],
    })
    .input(
      z
        .object({
          soul_id: id,
          number: versionNumber,
          ...signatureFields,
        })
        .refine(areComplete, incomplete),
    )
    .output(z.object({ signature: versionSignature }))
    .mutation(({ ctx, input }) => signVersion(ctx, input)),
});
