import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** A master key of the key ring: 32 bytes, and an id that is part of each sealed text. */
export interface MasterKey {
  id: string;
  key: Uint8Array;
}

/**
 * Encrypts secrets at rest (decisions §3 and §5): master key ring → HKDF per purpose → AES-256-GCM.
 * A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, so that keys can be rotated (0004).
 */
export interface Vault {
  /** @param bind names the owner of the secret; `open` needs the same owner */
  seal(purpose: string, bind: string, secret: string): string;
  /**
   * Seals like `seal`, but equal arguments give the same text until the first master key changes.
   * The texts of one owner thus show which of its secrets are equal. Use a purpose for either
   * method, not for both.
   */
  sealStably(purpose: string, bind: string, secret: string): string;
  /** @throws Error if the sealed text was changed, has another owner, or its key left the ring */
  open(purpose: string, bind: string, sealed: string): string;
  /**
   * Seals the secret again, with the first key of the ring. Returns null if that key sealed it
   * already.
   * @throws Error as `open` does
   */
  reseal(purpose: string, bind: string, sealed: string): string | null;
  /** Returns a keyed hash of the text. A new first master key changes the hash. */
  mac(purpose: string, text: string): Buffer;
  /**
   * Returns the hash of the text under each key of the ring, to verify signatures of older keys.
   */
  macs(purpose: string, text: string): Buffer[];
}

const NONCE_BYTES = 12;
/**
 * The length of an AES-GCM tag in bytes. If it is not set, Node accepts shorter tags, which can be
 * forged.
 */
const TAG_BYTES = 16;
const SEALED = /^v1\.([\w-]+)\.([\w-]+)\.([\w-]+)$/;

export function createVault(ring: readonly MasterKey[]): Vault {
  const [first] = ring;
  if (!first) throw new Error("A vault needs at least one master key.");
  // Node takes 12 µs to make a KeyObject, so each derived key is made once.
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

  const sealWith = (nonce: Buffer, purpose: string, bind: string, secret: string): string => {
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
  };

  const seal: Vault["seal"] = (purpose, bind, secret) =>
    sealWith(randomBytes(NONCE_BYTES), purpose, bind, secret);

  /**
   * The nonce is a keyed hash of all that is sealed (a synthetic IV). Two secrets under one key get
   * the same nonce only if 96 bits of their hashes are equal.
   */
  const sealStably: Vault["sealStably"] = (purpose, bind, secret) => {
    const mac = macWith(first, `${purpose}/nonce`, JSON.stringify([bind, secret]));
    return sealWith(mac.subarray(0, NONCE_BYTES), purpose, bind, secret);
  };

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

  /** Opens a sealed text. Returns the secret and the master key that opened it. */
  function find(purpose: string, bind: string, sealed: string): { key: MasterKey; secret: string } {
    const text = readSealed(sealed);
    const named = ring.find(({ id }) => id === text.keyId);
    if (!named) throw new Error("This secret was sealed with a key that is not in the ring.");
    // The operator may have reused the key id for a new master key. In that case another key of the
    // ring opens the text.
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
    sealStably,
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

/** Buffer.from accepts several texts for the same bytes; only the canonical one is valid. */
function strictBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw new Error("This secret was tampered with.");
  return bytes;
}
