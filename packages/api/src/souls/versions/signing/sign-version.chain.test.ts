import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  functionCall,
  type NearRpcServer,
  startNearRpcServer,
} from "../../../testing/servers/near-rpc-server.ts";
import type { ChainPort } from "../../../wallet/chain-port.ts";
import { createNearChain } from "../../../wallet/near/near-chain.ts";
import { bindBody, createWallet, type TestWallet } from "../../../wallet/wallet.fixture.ts";
import { type PeopledHub, startPeopledHub } from "../../souls.fixture.ts";
import { signAs, statementOf } from "./sign-version.fixture.ts";

/** The keys that may sign a version if the hub has a chain (decisions §4, 0036). */
describe("signing a version with a chain", () => {
  let hub: PeopledHub;
  let near: NearRpcServer;
  let chain: ChainPort;
  beforeAll(async () => {
    near = await startNearRpcServer();
    chain = createNearChain({ urls: [near.url], log: pino({ level: "silent" }) });
    hub = await startPeopledHub("pglite");
  });
  afterAll(async () => {
    await hub.close();
    await near[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    near.fault = null;
    hub.hub.chain = chain;
  });

  const onChain = (name: string) => {
    const wallet = createWallet(name);
    near.account(name, { [wallet.publicKey]: "FullAccess" });
    return wallet;
  };
  let souls = 0;
  /** A new account with this wallet, its soul, and a function that signs version 1 of it. */
  const author = async (wallet: TestWallet) => {
    const actor = await hub.member(`author-${++souls}`);
    expect((await actor.post("/api/bind-wallet", bindBody(wallet))).status).toBe(200);
    const soul_id = await hub.publish({}, actor);
    const { digest } = await hub.read(soul_id, actor);
    const { host } = new URL(hub.url);
    const text = statementOf({ host, soul_id, number: 1, digest });
    return async (key: TestWallet) => {
      const { message: _, ...fields } = signAs("NEP-413", key, text, host);
      const request = { soul_id, number: 1, ...fields };
      const send = async () => {
        const { body } = await actor.post("/api/version-signature", request);
        return body.error ?? body.signature;
      };
      return { answer: await send(), send };
    };
  };

  it("accepts every full-access key of the wallet, and says that it is verified", async () => {
    const wallet = onChain("ada.near");
    const sign = await author(wallet);
    const limited = createWallet("ada.near");
    near.account("ada.near", { [limited.publicKey]: functionCall });
    for (const key of [createWallet("ada.near"), limited, onChain("other.near")]) {
      expect((await sign(key)).answer).toBe("invalid_wallet_proof");
    }
    const second = onChain("ada.near");
    expect((await sign(second)).answer).toMatchObject({
      wallet: "ada.near",
      wallet_verified: true,
      public_key: second.publicKey,
    });
    expect((await sign(wallet)).answer).toBe("version_signed");
  });

  it("repeats the answer after the key has left the wallet", async () => {
    const wallet = onChain("cleo.near");
    const { answer, send } = await (await author(wallet))(wallet);
    near.removeKey("cleo.near", wallet.publicKey);
    near.fault = { status: 500 };
    expect(await send()).toEqual(answer);
  });

  it("stores nothing while the chain is unavailable", async () => {
    const wallet = onChain("dora.near");
    const sign = await author(wallet);
    near.fault = { status: 500 };
    const { answer, send } = await sign(wallet);
    expect(answer).toBe("chain_unavailable");
    expect((await sign(createWallet("x.near"))).answer).toBe("chain_unavailable");
    near.fault = null;
    expect(await send()).toMatchObject({ wallet: "dora.near", wallet_verified: true });
  });

  it("accepts the pinned key only, until the binding is verified", async () => {
    hub.hub.chain = null;
    const pinned = createWallet("erin.near");
    const sign = await author(pinned);
    hub.hub.chain = chain;
    // The true owner of the wallet must not sign for the account that pinned its name.
    expect((await sign(onChain("erin.near"))).answer).toBe("invalid_wallet_proof");
    expect((await sign(pinned)).answer).toBe("invalid_wallet_proof");
    near.account("erin.near", { [pinned.publicKey]: "FullAccess" });
    expect((await sign(pinned)).answer).toMatchObject({ wallet_verified: true });
  });

  it("accepts the binding key of a verified wallet without a chain, unverified", async () => {
    const wallet = onChain("kim.near");
    const sign = await author(wallet);
    hub.hub.chain = null;
    expect((await sign(onChain("kim.near"))).answer).toBe("invalid_wallet_proof");
    expect((await sign(wallet)).answer).toMatchObject({ wallet_verified: false });
  });
});
