import { createHash, randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";

/** Canonical encodings of the eight points of small order. */
export const canonical = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
];
/**
 * Non-canonical encodings of the points of small order: y not reduced, or a sign bit although x is
 * 0.
 */
const nonCanonical = [
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];
/** All 14 encodings of points of small order, in hex. Signatures under such keys can be forged. */
export const smallOrder: readonly string[] = [...canonical, ...nonCanonical];

/** Verifies by zip215, which accepts such forgeries. */
export const isLaxlyValid = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) =>
  ed25519.verify(signature, message, key, { zip215: true });

/** The order of the base point of Ed25519. */
export const ED25519_ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

const toScalar = (littleEndian: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(littleEndian).reverse().toString("hex")}`) % ED25519_ORDER;
const toBytes = (scalar: bigint): Buffer =>
  Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse();

/**
 * Makes a key that signs so that the point R of a signature has a component of small order.
 * Verification with the cofactor accepts such a signature, verification without it does not.
 */
export function createTorsionSigner() {
  const { Point } = ed25519;
  const [secret, nonce] = [toScalar(randomBytes(32)), toScalar(randomBytes(32))];
  const publicKey = Point.BASE.multiply(secret).toBytes();
  const R = Point.BASE.multiply(nonce)
    .add(Point.fromHex(canonical[4] ?? ""))
    .toBytes();
  return {
    publicKey,
    sign(message: Uint8Array): Uint8Array {
      const hash = createHash("sha512").update(R).update(publicKey).update(message).digest();
      const S = (nonce + toScalar(hash) * secret) % ED25519_ORDER;
      return Buffer.concat([R, toBytes(S)]);
    },
  };
}
