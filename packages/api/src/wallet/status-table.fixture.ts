import type { StatusTable } from "../testing/status-table.ts";
import type { StatusWorld } from "../testing/status-world.ts";
import { bindBody, loginBody, prove } from "./wallet.fixture.ts";

const forged = { signature: "00".repeat(64) };
const cutOff = (world: StatusWorld, fields: object) => {
  world.cutOff();
  return fields;
};
const reconnect = { after: (world: StatusWorld) => world.reconnect() };

/** Both came with a wallet. */
const bound = { vip: "409 wallet_already_bound", pro: "409 wallet_already_bound" } as const;

/** Specification §4.1, bind-wallet and wallet-login. */
export const walletStatuses: StatusTable = {
  "POST /bind-wallet": [
    [
      "a wallet that somebody else has bound",
      ({ boundWallet }) => bindBody(boundWallet),
      { everybody: "409 wallet_in_use", ...bound },
    ],
    [
      "a forged signature",
      ({ newWallet }) => ({ ...bindBody(newWallet()), ...forged }),
      { everybody: "401 invalid_wallet_proof" },
    ],
    [
      "no account name",
      ({ newWallet }) => ({ ...bindBody(newWallet()), wallet: "A wallet" }),
      { everybody: "400 invalid_input" },
    ],
    [
      "a chain that can't be asked",
      (world) => cutOff(world, bindBody(world.newWallet())),
      { everybody: "503 chain_unavailable", ...bound },
      reconnect,
    ],
    [
      "a wallet of one's own",
      ({ newWallet }) => bindBody(newWallet()),
      { everybody: "200", ...bound },
    ],
    [
      "a second wallet",
      ({ newWallet }) => bindBody(newWallet()),
      { everybody: "409 wallet_already_bound" },
    ],
  ],

  "POST /wallet-login": [
    ["a bound wallet", ({ boundWallet }) => loginBody(boundWallet), { everybody: "200" }],
    [
      "a wallet that nobody has bound",
      ({ newWallet }) => loginBody(newWallet()),
      { everybody: "401 invalid_wallet_proof" },
    ],
    [
      "a forged signature",
      ({ boundWallet }) => loginBody(boundWallet, { ...prove(boundWallet), ...forged }),
      { everybody: "401 invalid_wallet_proof" },
    ],
    [
      "no account name",
      ({ boundWallet }) => ({ ...loginBody(boundWallet), account_id: undefined }),
      { everybody: "400 invalid_input" },
    ],
    [
      "a chain that can't be asked",
      (world) => cutOff(world, loginBody(world.boundWallet)),
      { everybody: "503 chain_unavailable" },
      reconnect,
    ],
  ],
};
