import { ed25519 } from "@noble/curves/ed25519.js";
import { base58, base64, base64nopad, base64url, base64urlnopad, hex } from "@scure/base";
import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { canonical, ED25519_ORDER, isLaxlyValid, smallOrder } from "./small-order.fixture.ts";
import {
  bindBody,
  createWallet,
  freshMessage,
  prove,
  proveByNep413,
  sha256,
  toHex,
  utf8,
} from "./wallet.fixture.ts";

const wallet = createWallet("target.near");

/**
 * Forged proofs (decisions §4, Encoding). The hub has no chain, so that the signature alone decides
 * about a binding or a login.
 */
describeHub("a forged proof", {}, (hub) => {
  let owner: Actor;
  let other: Actor;
  beforeAll(async () => {
    owner = await hub.member("omar");
    other = await hub.member("other");
    expect((await owner.post("/api/bind-wallet", bindBody(wallet))).status).toBe(200);
  });

  const bindAsOther = async (proof: object) => {
    const { status, body } = await other.post("/api/bind-wallet", {
      wallet: "free.near",
      ...proof,
    });
    return [status, body.error];
  };
  const login = async (proof: object) => {
    const { status, body } = await hub
      .guest()
      .post("/api/wallet-login", { account_id: wallet.name, ...proof });
    return [status, body.error];
  };
  const refused = [401, "invalid_wallet_proof"];

  it("is tried with all 14 encodings of small-order points", () => {
    const found = new Set<string>();
    for (const text of smallOrder) {
      const point = ed25519.Point.fromBytes(hex.decode(text), true);
      expect(point.isSmallOrder()).toBe(true);
      found.add(point.toHex());
    }
    expect([...found].sort()).toEqual([...canonical].sort());
    expect(smallOrder).toHaveLength(14);
  });

  describe.each(smallOrder)("under the key %s", (key) => {
    const public_key = `ed25519:${base58.encode(hex.decode(key))}`;
    const zero = "00".repeat(32);

    it("is refused with every signature that lax verification accepts", async () => {
      for (const point of smallOrder) {
        const message = freshMessage();
        const signature = point + zero;
        // First checks that verification without the strict rules accepts the forgery. A forgery
        // that any verification refuses would prove nothing.
        const lax = [utf8(message), sha256(message)].map((form) =>
          isLaxlyValid(hex.decode(signature), form, hex.decode(key)),
        );
        expect(lax).toEqual([true, true]);
        const forged = { public_key, message, signature };
        expect([point, ...(await bindAsOther(forged))]).toEqual([point, ...refused]);
      }
      expect((await other.get("/api/me")).body.user.wallet).toBe(null);
    });

    it("is refused with NEP-413", async () => {
      const { message, nonce, recipient } = proveByNep413(wallet, new URL(hub.url).host);
      const forged = { public_key, message, nonce, recipient, signature: key + zero };
      expect(await bindAsOther(forged)).toEqual(refused);
    });
  });

  it("is refused with the malleable signature S + L", async () => {
    const proof = prove(wallet);
    const signature = hex.decode(proof.signature);
    const s = BigInt(`0x${toHex(signature.slice(32).reverse())}`);
    const otherS = hex.decode((s + ED25519_ORDER).toString(16).padStart(64, "0")).reverse();
    const malleable = toHex(signature.slice(0, 32)) + toHex(otherS);
    expect(malleable).not.toBe(proof.signature);
    expect(await login({ ...proof, signature: malleable })).toEqual(refused);
    expect(await login(proof)).toEqual([200, undefined]);
    expect(await login({ ...proof, signature: malleable })).toEqual(refused);
  });

  it("is refused after flipping a bit", async () => {
    const proof = prove(wallet);
    for (let byte = 0; byte < 64; byte += 7) {
      const signature = hex.decode(proof.signature);
      signature[byte] = (signature[byte] ?? 0) ^ 1;
      expect([byte, ...(await login({ ...proof, signature: toHex(signature) }))]).toEqual([
        byte,
        ...refused,
      ]);
    }
  });

  it("is refused with an invalid point or another key", async () => {
    const invalidPoint = `ed25519:${base58.encode(new Uint8Array(32).fill(2))}`;
    expect(await login({ ...prove(wallet), public_key: invalidPoint })).toEqual(refused);
    const otherWallet = createWallet(wallet.name);
    expect(await login({ ...prove(otherWallet), public_key: wallet.publicKey })).toEqual(refused);
  });

  const encodings = { hex, base64, base64nopad, base64url, base64urlnopad, base58 };
  const encodingNames = Object.keys(encodings) as (keyof typeof encodings)[];

  describe.each(encodingNames)("a signature in %s", (name) => {
    const encoding = encodings[name];
    const encoded = () => {
      const message = freshMessage();
      const bytes = wallet.sign(utf8(message));
      return { public_key: wallet.publicKey, message, bytes, signature: encoding.encode(bytes) };
    };

    it.each(["", "ed25519:"])("is accepted with the prefix %j", async (prefix) => {
      const { signature, bytes: _, ...proof } = encoded();
      expect(await login({ ...proof, signature: prefix + signature })).toEqual([200, undefined]);
    });

    it("is accepted for the SHA-256 of the message", async () => {
      const message = freshMessage();
      const signature = encoding.encode(wallet.sign(sha256(message)));
      const proof = { public_key: wallet.publicKey, message, signature };
      expect(await login(proof)).toEqual([200, undefined]);
    });

    // Most of the changed signatures get 400. A changed base58 text may by chance decode to 64
    // other bytes and get 401.
    it("is refused if truncated, padded or prefixed", async () => {
      const { signature, bytes, ...proof } = encoded();
      for (const wrong of [
        encoding.encode(bytes.slice(0, 63)),
        encoding.encode(Uint8Array.of(...bytes, 0)),
        encoding.encode(Uint8Array.of(0, ...bytes)),
        signature.slice(0, -1),
        `${signature}=`,
        `${signature}A`,
        `${signature} `,
        ` ${signature}`,
        `${signature}\n`,
        `0x${signature}`,
        `ed25519:ed25519:${signature}`,
        `ED25519:${signature}`,
        `secp256k1:${signature}`,
        signature.repeat(2),
      ]) {
        expect([wrong, (await login({ ...proof, signature: wrong })).join(" ")]).toEqual([
          wrong,
          expect.stringMatching(/^(400 invalid_input|401 invalid_wallet_proof)$/),
        ]);
      }
      expect(await login({ ...proof, signature })).toEqual([200, undefined]);
    });
  });

  it("is 400 with nonzero padding bits in base64", async () => {
    const proof = prove(wallet);
    const text = base64.encode(hex.decode(proof.signature));
    const last = text.charAt(85);
    expect("AQgw").toContain(last);
    const dirty = `${text.slice(0, 85)}${String.fromCharCode(last.charCodeAt(0) + 1)}==`;
    expect(await login({ ...proof, signature: dirty })).toEqual([400, "invalid_input"]);
  });

  it("is refused if a bare signature is sent with a nonce", async () => {
    // A bare signature does not cover the nonce, so it could be replayed with any nonce.
    const proof = prove(wallet);
    const { nonce, recipient } = proveByNep413(wallet, new URL(hub.url).host);
    expect(await login({ ...proof, nonce, recipient })).toEqual(refused);
  });
});
