import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import { bindBody, loginBody, prove } from "./wallet.fixture.ts";

const forged = { signature: "00".repeat(64) };
const binding =
  (fields: object = {}) =>
  ({ newWallet }: AccessMatrixWorld) => ({ ...bindBody(newWallet()), ...fields });

/** The error that the access matrix expects for accounts which already have a wallet. */
const bound = { vip: "409 wallet_already_bound", pro: "409 wallet_already_bound" } as const;

/** Expected access to bind-wallet and wallet-login (specification §4.1). */
export const walletStatuses: AccessMatrix = {
  "POST /bind-wallet": [
    [
      "a wallet of another account",
      ({ boundWallet }) => bindBody(boundWallet),
      { authorized: "409 wallet_in_use", ...bound },
    ],
    ["a forged signature", binding(forged), "401 invalid_wallet_proof"],
    ["no account name", binding({ wallet: "A wallet" }), "400 invalid_input"],
    [
      "an unavailable chain",
      (world) => world.cutOff(bindBody(world.newWallet())),
      { authorized: "503 chain_unavailable", ...bound },
    ],
    ["an unbound wallet", binding(), { authorized: "200", ...bound }],
    ["a second wallet", binding(), "409 wallet_already_bound"],
  ],
  "POST /wallet-login": [
    ["a bound wallet", ({ boundWallet }) => loginBody(boundWallet), "200"],
    ["an unbound wallet", ({ newWallet }) => loginBody(newWallet()), "401 invalid_wallet_proof"],
    [
      "a forged signature",
      ({ boundWallet }) => loginBody(boundWallet, { ...prove(boundWallet), ...forged }),
      "401 invalid_wallet_proof",
    ],
    [
      "no account name",
      ({ boundWallet }) => ({ ...loginBody(boundWallet), account_id: undefined }),
      "400 invalid_input",
    ],
    [
      "an unavailable chain",
      (world) => world.cutOff(loginBody(world.boundWallet)),
      "503 chain_unavailable",
    ],
  ],
};
