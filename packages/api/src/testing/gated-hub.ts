import { pino } from "pino";
import { createNearChain } from "../wallet/near/near-chain.ts";
import { bindBody, createWallet } from "../wallet/wallet.fixture.ts";
import type { Actor, Answer } from "./actor.ts";
import { openRoom, startChatHub } from "./chat-hub.ts";
import { createNft } from "./servers/near-contract.ts";
import { startNearRpcServer } from "./servers/near-rpc-server.ts";

/** The NFT contract of every gated soul. Each holder owns one token of this contract. */
export const NFT = "nft.near";
/**
 * The last words of every gated soul's text. Replies quote only the beginning of a text, so these
 * words appear nowhere else.
 */
export const GATED_SECRET = "whale oil of Skarholm";
export const GATED_TEXT = `I keep the lighthouse far out at sea and never leave the lamp. It burns ${GATED_SECRET}.`;

/** Starts a hub with a local NEAR chain and one actor per kind of caller of a gated soul. */
export async function startGatedHub() {
  const near = await startNearRpcServer();
  const nft = createNft();
  near.contract(NFT, nft.methods);
  let clockMs = 0;
  const log = pino({ level: "silent" });
  const chain = createNearChain({ urls: [near.url], log, now: () => clockMs });
  const hub = await startChatHub({ chain });

  /** Binds a wallet that exists on the chain. Returns its account name. */
  const bind = async (actor: Actor, name = `${actor.name}.near`) => {
    const wallet = createWallet(name);
    near.account(name, { [wallet.publicKey]: "FullAccess" });
    const { status } = await actor.post("/api/bind-wallet", bindBody(wallet));
    if (status !== 200) throw new Error(`${actor.name} failed to bind ${name}.`);
    return name;
  };
  const withoutChain = async <T>(work: () => Promise<T>): Promise<T> => {
    hub.hub.chain = null;
    return work().finally(() => {
      hub.hub.chain = chain;
    });
  };
  /** Registers a vip account whose verified wallet owns a token. */
  const holder = async (username: string) => {
    const actor = await hub.vip(username);
    nft.give(await bind(actor));
    return actor;
  };

  const owner = await hub.vip("olga");
  const hal = await holder("hal");
  const walletOnly = await hub.vip("walda");
  await bind(walletOnly);
  const pinned = await hub.vip("pia");
  await withoutChain(() => bind(pinned));
  nft.give("pia.near");
  const guest = hub.guest();
  await guest.get("/api/chat-quota");
  const people = {
    owner,
    holder: hal,
    "the holder's browser": await hub.signIn(hal.name),
    "without a wallet": await hub.vip("nowa"),
    "without a token": walletOnly,
    "with a pinned wallet": pinned,
    guest,
  };
  const close = async () => {
    await hub.close();
    await near[Symbol.asyncDispose]();
  };
  return {
    ...hub,
    near,
    nft,
    chain,
    people,
    bind,
    holder,
    withoutChain,
    /** Advances the clock of the cache of NFT ownership. */
    passTime(ms: number) {
      clockMs += ms;
    },
    /** Publishes a gated soul and returns one of its rooms. */
    openGated: (more: object = {}, by: Actor = owner) =>
      openRoom(by, { title: "Keeper", content: GATED_TEXT, nft_contract: NFT, ...more } as object),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type GatedHub = Awaited<ReturnType<typeof startGatedHub>>;
export type Who = keyof GatedHub["people"];

/** Reduces a response to 200, or to its status and error code. */
export const codeOf = ({ status, body }: Answer): 200 | [number, string] =>
  status === 200 ? 200 : [status, body.error];
