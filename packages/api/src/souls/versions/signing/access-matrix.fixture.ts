import type { AccessMatrix } from "../../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../../testing/access/access-matrix-world.ts";
import type { TestWallet } from "../../../wallet/wallet.fixture.ts";
import { signAs, statementOf } from "./sign-version.fixture.ts";

/** A request that signs the first version of a soul of vip, by default with vip's wallet. */
async function signed(
  { url, publish, people, vipWallet }: AccessMatrixWorld,
  { wallet = vipWallet, soul_id }: { wallet?: TestWallet; soul_id?: number } = {},
) {
  const signed_id = soul_id ?? (await publish({}, "vip"));
  const { host } = new URL(url);
  const { body } = await people.vip.get(`/api/soul/${signed_id}`);
  const version = { soul_id: signed_id, number: 1 };
  const text = statementOf({ host, ...version, digest: body.data.digest });
  const { message: _, ...fields } = signAs("NEP-413", wallet, text, host);
  return { ...version, ...fields };
}

/** The access matrix of signatures of versions (0036). vip has a wallet. */
export const versionSignatureStatuses: AccessMatrix = {
  "POST /version-signature": [
    [
      "a version of vip's soul",
      (world) => signed(world),
      { authorized: "403 not_owner", vip: "200" },
    ],
    [
      "a version of a private soul",
      async (world) => ({ ...(await signed(world)), soul_id: world.souls.private }),
      { key: "404 soul_not_found", vip: "404 soul_not_found" },
    ],
    [
      "an unknown soul",
      async (world) => ({ ...(await signed(world)), soul_id: world.souls.none }),
      "404 soul_not_found",
    ],
    [
      "an unknown version",
      async (world) => ({ ...(await signed(world)), number: 2 }),
      { authorized: "403 not_owner", vip: "404 version_not_found" },
    ],
    [
      "a key of another wallet",
      (world) => signed(world, { wallet: world.boundWallet }),
      { vip: "401 invalid_wallet_proof" },
    ],
    [
      "a version with another signature",
      async (world) => {
        const first = await signed(world);
        await world.people.vip.post("/api/version-signature", first);
        return signed(world, first);
      },
      { vip: "409 version_signed" },
    ],
    [
      "an unavailable chain",
      async (world) => world.cutOff(await signed(world)),
      { vip: "503 chain_unavailable" },
    ],
    [
      "no number",
      async (world) => ({ ...(await signed(world)), number: undefined }),
      "400 invalid_input",
    ],
  ],
};
