import { base58 } from "@scure/base";
import { beforeAll, describe, expect, it } from "vitest";
import { sweepExpired } from "../tables/expired-rows.ts";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { testDatabases } from "../testing/test-database.ts";
import {
  bindBody,
  createWallet,
  freshMessage,
  messageAt,
  prove,
  proveByNep413,
  sha256,
  toBase64,
  toHex,
} from "./wallet.fixture.ts";

const wallet = createWallet("replay.near");
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** A proof is fresh by the clock of the database, and it works once (decisions §4, Freshness). */
describeHub("a wallet proof", { databases: testDatabases() }, (hub) => {
  let owner: Actor;
  let other: Actor;
  beforeAll(async () => {
    owner = await hub.member("omar");
    other = await hub.member("other");
    expect((await owner.post("/api/bind-wallet", bindBody(wallet))).status).toBe(200);
  });

  const login = async (proof: object) => {
    const { status, body } = await hub
      .guest()
      .post("/api/wallet-login", { account_id: wallet.name, ...proof });
    return status === 200 ? 200 : [status, body.error];
  };
  const bind = async (actor: Actor, name: string, proof: object) => {
    const { status, body } = await actor.post("/api/bind-wallet", { wallet: name, ...proof });
    return status === 200 ? 200 : [status, body.error];
  };
  const refused = [401, "invalid_wallet_proof"];
  const count = async (table: "sessions" | "wallet_proofs") =>
    (await hub.hub.database.db.selectFrom(table).selectAll().execute()).length;

  describe("freshness", () => {
    it.each([
      ["5 minutes and 1 second old", -5 * MINUTE_MS - SECOND_MS, false],
      ["an hour old", -60 * MINUTE_MS, false],
      ["almost 5 minutes old", -5 * MINUTE_MS + 5 * SECOND_MS, true],
      ["almost 60 seconds ahead", 55 * SECOND_MS, true],
      ["62 seconds ahead", 62 * SECOND_MS, false],
      ["a day ahead", 1_440 * MINUTE_MS, false],
    ])("a proof that is %s", async (_, offset, isFresh) => {
      const proof = prove(wallet, messageAt(Date.now() + offset));
      expect(await login(proof)).toEqual(isFresh ? 200 : refused);
    });

    it.each(["0000000000000", "9999999999999"])(
      "a proof with the timestamp %s is refused",
      async (stamp) => {
        expect(await login(prove(wallet, `service_auth:${stamp}`))).toEqual(refused);
      },
    );

    it("is measured by the database clock", async () => {
      await hub.moveClock("10 minutes");
      const now = prove(wallet);
      const later = prove(wallet, messageAt(Date.now() + 10 * MINUTE_MS));
      expect([await login(now), await login(later)]).toEqual([refused, 200]);
      await hub.moveClock("0");
    });
  });

  describe("single use", () => {
    it("allows one login", async () => {
      const proof = prove(wallet);
      expect([await login(proof), await login(proof)]).toEqual([200, refused]);
    });

    it("is independent of the encoding and of the signed form", async () => {
      const message = freshMessage();
      const proof = prove(wallet, message);
      const signature = Buffer.from(proof.signature, "hex");
      expect(await login(proof)).toBe(200);
      for (const again of [
        proof.signature.toUpperCase(),
        `ed25519:${proof.signature}`,
        toBase64(signature),
        toBase64(signature).replace(/=+$/, ""),
        signature.toString("base64url"),
        base58.encode(signature),
        toHex(wallet.sign(sha256(message))),
      ]) {
        expect([again, await login({ ...proof, signature: again })]).toEqual([again, refused]);
      }
    });

    it("is shared by bind and login", async () => {
      const wide = createWallet("wide.near");
      const bound = prove(wide);
      const third = await hub.member("third");
      expect(await bind(third, "wide.near", bound)).toBe(200);
      expect(await login({ ...bound, account_id: "wide.near" })).toEqual(refused);
      const used = prove(wide);
      expect(await login({ ...used, account_id: "wide.near" })).toBe(200);
      expect(await bind(other, "free.near", used)).toEqual(refused);
    });

    it("refuses a used proof before it reports a conflict", async () => {
      const proof = prove(wallet);
      expect(await login(proof)).toBe(200);
      expect(await bind(owner, wallet.name, proof)).toEqual(refused);
    });

    it("distinguishes NEP-413 proofs by nonce", async () => {
      const message = freshMessage();
      const host = new URL(hub.url).host;
      const one = proveByNep413(wallet, host, { message });
      const two = proveByNep413(wallet, host, { message, callbackUrl: "https://a.example/" });
      const sameNonce = proveByNep413(wallet, host, {
        message,
        nonce: Buffer.from(one.nonce ?? "", "base64"),
        callbackUrl: "https://b.example/",
      });
      expect([await login(one), await login(two)]).toEqual([200, 200]);
      for (const again of [one, two, sameNonce]) expect(await login(again)).toEqual(refused);
      expect(await login(prove(wallet, message))).toBe(200);
    });

    it("is not consumed by a failed call", async () => {
      const proof = prove(wallet);
      expect(await login({ ...proof, account_id: "unknown.near" })).toEqual(refused);
      expect(await login({ ...proof, signature: "00".repeat(64) })).toEqual(refused);
      expect(await bind(owner, "second.near", proof)).toEqual([409, "wallet_already_bound"]);
      expect(await bind(other, wallet.name, proof)).toEqual([409, "wallet_in_use"]);
      expect(await login(proof)).toBe(200);
    });

    it("allows one of 64 concurrent logins", async () => {
      const proof = prove(wallet);
      const before = await count("sessions");
      const answers = await Promise.all(Array.from({ length: 64 }, () => login(proof)));
      expect(answers.filter((answer) => answer === 200)).toHaveLength(1);
      expect(answers.filter((answer) => answer !== 200)).toEqual(Array(63).fill(refused));
      expect((await count("sessions")) - before).toBe(1);
    });

    it("allows one of 64 concurrent logins and binds", async () => {
      const proof = prove(wallet);
      const accounts = await Promise.all(
        Array.from({ length: 4 }, (_, n) => hub.member(`racer-${n}`)),
      );
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, n) => {
          const actor = accounts[n % 8];
          return actor ? bind(actor, `race-${n}.near`, proof) : login(proof);
        }),
      );
      expect(answers.filter((answer) => answer === 200)).toHaveLength(1);
    });
  });

  it("is stored while it is fresh and swept afterwards", async () => {
    const proof = prove(wallet);
    expect(await login(proof)).toBe(200);
    const stored = await count("wallet_proofs");
    await sweepExpired(hub.hub.database.db, "wallet_proofs");
    expect(await count("wallet_proofs")).toBe(stored);
    await hub.moveClock("6 minutes");
    await sweepExpired(hub.hub.database.db, "wallet_proofs");
    expect(await count("wallet_proofs")).toBe(stored);
    await hub.moveClock("2 hours");
    await sweepExpired(hub.hub.database.db, "wallet_proofs");
    expect(await count("wallet_proofs")).toBe(0);
    expect(await login(proof)).toEqual(refused);
    await hub.moveClock("0");
  });
});
