import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import { bindBody, loginBody, prove } from "./wallet.fixture.ts";

const forged = { signature: "00".repeat(64) };
const cutOff = (world: AccessMatrixWorld, fields: object) => {
  world.cutOff();
  return fields;
};
const reconnect = { after: (world: AccessMatrixWorld) => world.reconnect() };

/** The error that the access matrix expects for accounts which already have a wallet. */
const bound = { vip: "409 wallet_already_bound", pro: "409 wallet_already_bound" } as const;

/** Expected access to bind-wallet and wallet-login (specification §4.1). */
export const walletStatuses: AccessMatrix = {
  "GET /wallets": [["at any time", {}, { authorized: "200" }]],

  "POST /bind-wallet": [
    [
      "a wallet of another account",
      ({ boundWallet }) => bindBody(boundWallet),
      { authorized: "409 wallet_in_use", ...bound },
    ],
    [
      "a forged signature",
      ({ newWallet }) => ({ ...bindBody(newWallet()), ...forged }),
      { authorized: "401 invalid_wallet_proof" },
    ],
    [
      "no account name",
      ({ newWallet }) => ({ ...bindBody(newWallet()), wallet: "A wallet" }),
      { authorized: "400 invalid_input" },
    ],
    [
      "an unavailable chain",
      (world) => cutOff(world, bindBody(world.newWallet())),
      { authorized: "503 chain_unavailable", ...bound },
      reconnect,
    ],
    [
      "an unbound wallet",
      ({ newWallet }) => bindBody(newWallet()),
      { authorized: "200", ...bound },
    ],
    [
      "a second wallet",
      ({ newWallet }) => bindBody(newWallet()),
      { authorized: "409 wallet_already_bound" },
    ],
  ],

  "POST /wallet-login": [
    ["a bound wallet", ({ boundWallet }) => loginBody(boundWallet), { authorized: "200" }],
    [
      "an unbound wallet",
      ({ newWallet }) => loginBody(newWallet()),
      { authorized: "401 invalid_wallet_proof" },
    ],
    [
      "a forged signature",
      ({ boundWallet }) => loginBody(boundWallet, { ...prove(boundWallet), ...forged }),
      { authorized: "401 invalid_wallet_proof" },
    ],
    [
      "no account name",
      ({ boundWallet }) => ({ ...loginBody(boundWallet), account_id: undefined }),
      { authorized: "400 invalid_input" },
    ],
    [
      "an unavailable chain",
      (world) => cutOff(world, loginBody(world.boundWallet)),
      { authorized: "503 chain_unavailable" },
      reconnect,
    ],
  ],
};
