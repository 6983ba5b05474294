import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import {
  bindBody,
  createWallet,
  freshMessage,
  proveByNep413,
  toBase64,
  utf8,
} from "./wallet.fixture.ts";

const bound = createWallet("bound.near");

/**
 * The forms of a message that a wallet may sign (decisions §4, Encoding). For their encodings see
 * wallet.forgery.test.ts.
 */
describeHub("signed bytes", {}, (hub) => {
  let host: string;
  beforeAll(async () => {
    host = new URL(hub.url).host;
    const omar = await hub.member("omar");
    expect((await omar.post("/api/bind-wallet", bindBody(bound))).status).toBe(200);
  });

  const outcome = ({ status, body }: Awaited<ReturnType<Actor["post"]>>) => [status, body.error];
  const login = (proof: object) =>
    hub.guest().post("/api/wallet-login", { account_id: bound.name, ...proof });

  it("may be the NEP-413 payload, with or without a callback URL", async () => {
    expect((await login(proveByNep413(bound, host))).status).toBe(200);
    const callbackUrl = "https://wallet.example/back?x=ä";
    expect((await login(proveByNep413(bound, host, { callbackUrl }))).status).toBe(200);
  });

  it.each([
    ["another host", (own: string) => own.replace(/^[^:]+/, "evil.example")],
    ["the host without its port", (own: string) => own.replace(/:\d+$/, "")],
    ["the host with a suffix", (own: string) => `${own}.evil.example`],
    ["a URL", (own: string) => `http://${own}`],
    ["an empty recipient", () => ""],
  ])("must not be a payload for %s", async (_, change) => {
    const answer = await login(proveByNep413(bound, change(host)));
    expect(outcome(answer)).toEqual([401, "invalid_wallet_proof"]);
  });

  it("must match nonce, recipient and callback URL", async () => {
    const proof = proveByNep413(bound, host, { callbackUrl: "https://a.example/" });
    const { callback_url: _, ...without } = proof;
    const elsewhere = proveByNep413(bound, "evil.example");
    for (const changed of [
      { ...proof, nonce: toBase64(new Uint8Array(32)) },
      { ...proof, callback_url: "https://b.example/" },
      without,
      { ...elsewhere, recipient: host },
    ]) {
      expect(outcome(await login(changed))).toEqual([401, "invalid_wallet_proof"]);
    }
    expect((await login(proof)).status).toBe(200);
  });

  it("must be exactly the message", async () => {
    const message = freshMessage();
    for (const signed of [freshMessage(), `${message} `, `\n${message}`, "", message.slice(13)]) {
      const signature = toBase64(bound.sign(utf8(signed)));
      const answer = await login({ public_key: bound.publicKey, message, signature });
      expect(outcome(answer)).toEqual([401, "invalid_wallet_proof"]);
    }
  });
});
