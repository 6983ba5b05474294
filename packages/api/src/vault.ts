import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

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
  /**
   * The same secret sealed with the ring's first key; null where that key has sealed it already.
   * @throws what `open` throws
   */
  reseal(purpose: string, bind: string, sealed: string): string | null;
  /** A keyed hash, the same for as long as the first master key is. */
  mac(purpose: string, text: string): Buffer;
  /** The same under each key of the ring, the first one's first: for what an older key has signed. */
  macs(purpose: string, text: string): Buffer[];
}

const NONCE_BYTES = 12;
/** Always the full tag: Node would take a shorter, forgeable one if we didn't say so. */
const TAG_BYTES = 16;
const SEALED = /^v1\.([\w-]+)\.([\w-]+)\.([\w-]+)$/;

export function createVault(ring: readonly MasterKey[]): Vault {
  const first = firstOf(ring);
  // As key objects: Node takes 12 µs to make one of the bytes, for each hash anew.
  const derived = new Map<string, KeyObject>();
  const derive = ({ id, key }: MasterKey, purpose: string): KeyObject => {
    const name = `${id}/${purpose}`;
    let subkey = derived.get(name);
    if (!subkey) {
      subkey = createSecretKey(Buffer.from(hkdfSync("sha256", key, "soul-hub", purpose, 32)));
      derived.set(name, subkey);
    }
    return subkey;
  };

  const macWith = (key: MasterKey, purpose: string, text: string): Buffer =>
    createHmac("sha256", derive(key, purpose)).update(text).digest();

  function seal(purpose: string, bind: string, secret: string): string {
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
  }

  function openWith(key: MasterKey, purpose: string, bind: string, { nonce, body }: SealedText) {
    const decipher = createDecipheriv("aes-256-gcm", derive(key, purpose), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(`${purpose}\0${bind}`));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    return Buffer.concat([
      decipher.update(body.subarray(0, -TAG_BYTES)),
      decipher.final(),
    ]).toString("utf8");
  }

  /** The secret, and the key that opened it. */
  function find(purpose: string, bind: string, sealed: string): { key: MasterKey; secret: string } {
    const text = readSealed(sealed);
    const named = ring.find(({ id }) => id === text.keyId);
    if (!named) throw new Error("This secret was sealed with a key that is not in the ring.");
    // An operator may have given the id to a new key: then another one of the ring opens it.
    let refusal: unknown;
    for (const key of [named, ...ring.filter((key) => key !== named)]) {
      try {
        return { key, secret: openWith(key, purpose, bind, text) };
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  return {
    seal,
    open: (purpose, bind, sealed) => find(purpose, bind, sealed).secret,
    reseal(purpose, bind, sealed) {
      const { key, secret } = find(purpose, bind, sealed);
      const isCurrent = key === first && readSealed(sealed).keyId === first.id;
      return isCurrent ? null : seal(purpose, bind, secret);
    },

    mac: (purpose, text) => macWith(first, purpose, text),
    macs: (purpose, text) => ring.map((key) => macWith(key, purpose, text)),
  };
}

function firstOf(ring: readonly MasterKey[]): MasterKey {
  const [first] = ring;
  if (!first) throw new Error("A vault needs at least one master key.");
  return first;
}

interface SealedText {
  keyId: string;
  nonce: Buffer;
  body: Buffer;
}

function readSealed(sealed: string): SealedText {
  const [, keyId, nonceText = "", bodyText = ""] = SEALED.exec(sealed) ?? [];
  if (keyId === undefined) throw new Error("This is not a sealed secret.");
  const nonce = strictBytes(nonceText);
  const body = strictBytes(bodyText);
  if (nonce.length !== NONCE_BYTES || body.length < TAG_BYTES) {
    throw new Error("This secret was cut short.");
  }
  return { keyId, nonce, body };
}

/** Buffer.from takes several texts for the same bytes; a secret that was touched at all is refused. */
function strictBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw new Error("This secret was tampered with.");
  return bytes;
}
