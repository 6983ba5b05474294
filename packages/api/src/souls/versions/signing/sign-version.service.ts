import { base64 } from "@scure/base";
import { sql } from "kysely";
import type { z } from "zod";
import type { AccountContext } from "../../../caller/caller.ts";
import { HubError } from "../../../errors.ts";
import { encodePublicKey } from "../../../wallet/proof-encoding.ts";
import { type signatureFields, toSignedText } from "../../../wallet/proof-fields.ts";
import type { SignedText } from "../../../wallet/signed-proof.ts";
import {
  assertKeyOf,
  assertNotOtherPin,
  assertSigned,
  hubHost,
  ownWallet,
} from "../../../wallet/wallet-key.ts";
import { assertOwn, lockOwnSoul } from "../../soul-lock.ts";
import { numberVersions } from "../../version/version-number.ts";
import type { VersionSignature } from "../../version/version-signature.schema.ts";
import { openHistory, readState } from "../soul-history.ts";
import { versionStatement } from "./version-statement.ts";

type SignInput = { soul_id: number; number: number } & z.output<
  z.ZodObject<typeof signatureFields>
>;

/** The fields that the author sends. The hub adds the wallet and the time. */
type GivenSignature = Omit<VersionSignature, "wallet" | "wallet_verified" | "signed_at">;

/**
 * Signs a version of the caller's soul with the wallet that is bound to the account (0036). The same
 * signature again changes nothing.
 * @throws HubError `soul_not_found`, `not_owner`, `version_not_found`, `wallet_required`,
 *   `invalid_wallet_proof`, `version_signed`, `chain_unavailable`
 */
export async function signVersion(ctx: AccountContext, input: SignInput) {
  const { soul_id, number } = input;
  assertOwn(ctx, await ctx.hub.souls.byId(soul_id));
  const { is_hidden, digest, signature } = await readState(await openHistory(ctx, soul_id), number);
  if (is_hidden || digest === null) throw new HubError("version_not_found");
  const { wallet, ...binding } = await ownWallet(ctx);
  const statement = versionStatement({ hub: hubHost(ctx), soul_id, number, digest });
  const signed = toSignedText(input, statement);
  const given = toGiven(signed, assertSigned(ctx, signed));
  if (signature) return { signature: assertSame(signature, given) };
  assertNotOtherPin(ctx, binding, signed.publicKey);
  await assertKeyOf(ctx, wallet, signed.publicKey);
  const seen = { wallet, wallet_verified: ctx.hub.chain !== null };
  return { signature: assertSame(await store(ctx, input, { ...seen, ...given }), given) };
}

const toGiven = (
  { publicKey, message, envelope }: SignedText,
  signature: Uint8Array,
): GivenSignature => ({
  public_key: encodePublicKey(publicKey),
  signature: base64.encode(signature),
  nonce: envelope && base64.encode(envelope.nonce),
  recipient: envelope?.recipient ?? null,
  callback_url: envelope?.callbackUrl ?? null,
  statement: message,
});

/** @throws HubError `version_signed` if the stored signature is another one than the given */
function assertSame(stored: VersionSignature, given: GivenSignature): VersionSignature {
  const names = Object.keys(given) as (keyof GivenSignature)[];
  if (names.every((name) => stored[name] === given[name])) return stored;
  throw new HubError("version_signed");
}

/**
 * Stores a signature if the version has none, under the lock of the soul: an update moves the
 * number of the present state to a snapshot.
 * @returns the version's signature, which may be another one
 */
async function store(
  ctx: AccountContext,
  { soul_id, number }: { soul_id: number; number: number },
  given: Omit<VersionSignature, "signed_at">,
): Promise<VersionSignature> {
  const signature = sql<VersionSignature>`coalesce(signature, ${JSON.stringify(given)}::jsonb
    || jsonb_build_object('signed_at', to_char(hub_now(), 'YYYY-MM-DD HH24:MI:SS')))`;
  return ctx.db.transaction().execute(async (tx) => {
    await lockOwnSoul(ctx, tx, soul_id);
    const row =
      number === (await numberVersions(tx, soul_id))
        ? await tx
            .updateTable("souls")
            .set({ signature })
            .where("id", "=", soul_id)
            .returning("signature")
            .executeTakeFirst()
        : await tx
            .updateTable("soul_versions")
            .set({ signature })
            .where("soul_id", "=", soul_id)
            .where("number", "=", number)
            .where("is_hidden", "=", false)
            .returning("signature")
            .executeTakeFirst();
    if (!row?.signature) throw new HubError("version_not_found");
    return row.signature;
  });
}
