import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, it } from "vitest";
import { nep413Digest } from "./nep413.ts";
import {
  decodeNonce,
  decodePublicKey,
  decodeSignature,
  encodePublicKey,
} from "./proof-encoding.ts";
import { proofId, signedAtMs, validSignature, type WalletProof } from "./signed-proof.ts";
import { createTorsionSigner } from "./small-order.fixture.ts";

const fail = (): never => {
  throw new Error("not decoded");
};

/** The test vectors of NEP-413 come from NEAR's client libraries. */
describe("NEP-413", () => {
  const key = "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy";
  const message = "Hello NEAR!";
  const nonce = decodeNonce("KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y=") ?? fail();
  const isSignedBy = (signature: string, callbackUrl: string | null) =>
    validSignature({
      publicKey: decodePublicKey(key) ?? fail(),
      signatures: decodeSignature(signature) ?? fail(),
      message,
      envelope: { nonce, recipient: "example.near", callbackUrl },
    }) !== undefined;

  it("computes the published digest", () => {
    const digest = nep413Digest({
      message,
      nonce,
      recipient: "round-toad.testnet",
      callbackUrl: null,
    });
    expect(digest.toString("hex")).toBe(
      "0198ecdf67dae6002236d212f4446cfc8ca66639f204caeacd5ef6f5c68d17fa",
    );
  });

  it.each([
    [
      null,
      "NnJgPU1Ql7ccRTITIoOVsIfElmvH1RV7QAT4a9Vh6ShCOnjIzRwxqX54JzoQ/nK02p7VBMI2vJn48rpImIJwAw==",
    ],
    [
      "http://localhost:3000",
      "zzZQ/GwAjrZVrTIFlvmmQbDQHllfzrr8urVWHaRt5cPfcXaCSZo35c5LDpPpTKivR6BxLyb3lcPM0FfCW5lcBQ==",
    ],
  ])("verifies the published signature with the callback URL %s", (callbackUrl, signature) => {
    expect(isSignedBy(signature, callbackUrl)).toBe(true);
    expect(isSignedBy(signature, "http://localhost:3001")).toBe(false);
  });
});

it("a signature is valid only if verification with and without the cofactor accept it", () => {
  const { publicKey, sign } = createTorsionSigner();
  const message = "service_auth:1767225600000";
  const signature = sign(Buffer.from(message));
  expect(ed25519.verify(signature, Buffer.from(message), publicKey, { zip215: false })).toBe(true);
  const signed = { publicKey, signatures: [signature], message, envelope: null };
  expect(validSignature(signed)).toBe(undefined);
});

describe("encodings", () => {
  it("decode a public key and encode it identically", () => {
    const zeros = `ed25519:${"1".repeat(32)}`;
    expect(decodePublicKey(zeros)).toEqual(new Uint8Array(32));
    expect(encodePublicKey(new Uint8Array(32))).toBe(zeros);
    expect(decodePublicKey(`ed25519:${"1".repeat(31)}`)).toBe(null);
    expect(decodePublicKey(`ed25519:${"z".repeat(44)}`)).toBe(null);
  });

  it("return both decodings of a signature that is base58 and base64url", () => {
    // The text is a signature of 64 bytes in both encodings. In base58 it starts with a zero byte,
    // in base64url it ends with 4 zero bits.
    const text = `1${"a".repeat(84)}A`;
    const both = decodeSignature(text) ?? fail();
    expect(both).toHaveLength(2);
    expect(both.map(([first]) => first).sort()).toEqual([0, 0xd5].sort());
  });
});

describe("proofId", () => {
  const proof = {
    publicKey: new Uint8Array(32).fill(1),
    signatures: [],
    message: "service_auth:1767225600000",
    envelope: null,
  };
  const envelope = { nonce: new Uint8Array(32), recipient: "a", callbackUrl: null };

  it("depends on key, message and nonce only", () => {
    const ids = [
      proof,
      { ...proof, publicKey: new Uint8Array(32).fill(2) },
      { ...proof, message: "service_auth:1767225600001" },
      { ...proof, envelope },
      { ...proof, envelope: { ...envelope, nonce: new Uint8Array(32).fill(3) } },
    ].map(proofId);
    expect(new Set(ids).size).toBe(5);
    expect(proofId({ ...proof, signatures: [new Uint8Array(64)] })).toBe(ids[0]);
    expect(proofId({ ...proof, envelope: { ...envelope, recipient: "b" } })).toBe(ids[3]);
  });
});

it("signedAtMs returns the time of the message in milliseconds", () => {
  expect(signedAtMs({ message: "service_auth:1767225600000" } as WalletProof)).toBe(
    1_767_225_600_000,
  );
});
