import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** A key of the ring: 32 bytes under a short name that travels with what it seals. */
export interface MasterKey {
  id: string;
  key: Uint8Array;
}

/**
 * Secrets at rest (decisions §3 and §5): master key ring → HKDF per purpose → AES-256-GCM.
 * The text form is `v1.<key id>.<nonce>.<ciphertext and tag>`, so that keys can be rotated.
 */
export interface Vault {
  /** @param bind what the secret belongs to; opening it under anything else fails. */
  seal(purpose: string, bind: string, secret: string): string;
  /** @throws Error when the text was tampered with, belongs elsewhere, or its key is gone. */
  open(purpose: string, bind: string, sealed: string): string;
  /** A keyed hash, the same for as long as the first master key is. */
  mac(purpose: string, text: string): Buffer;
  /** The same under each key of the ring, the first one's first: for what an older key has signed. */
  macs(purpose: string, text: string): Buffer[];
}

const NONCE_BYTES = 12;
/** Always the full tag: Node would take a shorter, forgeable one if we didn't say so. */
const TAG_BYTES = 16;

export function createVault(ring: readonly MasterKey[]): Vault {
  const [first] = ring;
  if (!first) throw new Error("A vault needs at least one master key.");
  const derived = new Map<string, Buffer>();
  const derive = ({ id, key }: MasterKey, purpose: string): Buffer => {
    const name = `${id}/${purpose}`;
    let subkey = derived.get(name);
    if (!subkey) {
      subkey = Buffer.from(hkdfSync("sha256", key, "soul-hub", purpose, 32));
      derived.set(name, subkey);
    }
    return subkey;
  };

  const macWith = (key: MasterKey, purpose: string, text: string): Buffer =>
    createHmac("sha256", derive(key, purpose)).update(text).digest();

  return {
    seal(purpose, bind, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", derive(first, purpose), nonce, {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(`${purpose}\0${bind}`));
      const body = Buffer.concat([
        cipher.update(secret, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `v1.${first.id}.${nonce.toString("base64url")}.${body.toString("base64url")}`;
    },

    open(purpose, bind, sealed) {
      const [version, keyId, nonceText, bodyText] = sealed.split(".");
      const key = ring.find(({ id }) => id === keyId);
      if (version !== "v1" || !key || !nonceText || !bodyText) {
        throw new Error("This secret was sealed with a key that is not in the ring.");
      }
      const body = Buffer.from(bodyText, "base64url");
      const decipher = createDecipheriv(
        "aes-256-gcm",
        derive(key, purpose),
        Buffer.from(nonceText, "base64url"),
        { authTagLength: TAG_BYTES },
      );
      decipher.setAAD(Buffer.from(`${purpose}\0${bind}`));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      return Buffer.concat([
        decipher.update(body.subarray(0, -TAG_BYTES)),
        decipher.final(),
      ]).toString("utf8");
    },

    mac: (purpose, text) => macWith(first, purpose, text),
    macs: (purpose, text) => ring.map((key) => macWith(key, purpose, text)),
  };
}
