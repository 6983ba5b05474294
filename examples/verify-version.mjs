// Verifies offline that a folder holds a signed version of a soul, byte for byte. It needs Node
// alone. docs/decisions/0036-signed-versions.md describes digest and statement.
//
//   node verify-version.mjs <folder> --signature <file>
//
// <folder> holds the files of the version; one Markdown is SOUL.md. <file> is the `data` of
// GET /api/version as JSON. Exit codes: 0 verified, 1 not verified, 2 wrong arguments or files.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

/** A reason for which the version is not verified (exit code 1). */
class Unverified extends Error {}

const sha256 = (...data) => data.reduce((all, bytes) => all.update(bytes), createHash("sha256"));
const hex = (data) => `sha256:${sha256(data).digest("hex")}`;

/** Reads the files of a folder, as pairs of name and bytes in the order of the manifest. */
function readFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      if (entry.isFile()) return [entry.name, readFileSync(path.join(folder, entry.name))];
      throw new Unverified(`${JSON.stringify(entry.name)} is not a file.`);
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The digest of a version: the SHA-256 of its manifest, which is JSON by RFC 8785. */
function digestOf({ title, description }, files) {
  const text = JSON.stringify;
  const members = files.map(([name, bytes]) => `${text(name)}:${text(hex(bytes))}`);
  return hex(
    `{"description":${text(description)},"files":{${members}},"title":${text(title)},"type":"soulhub-version/1"}`,
  );
}

/** Decodes base58 to 32 bytes. Each leading `1` is a zero byte. */
function decodeBase58(text) {
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let number = 0n;
  for (const sign of text) number = number * 58n + BigInt(alphabet.indexOf(sign));
  const digits = number === 0n ? "" : number.toString(16);
  const zeros = Buffer.alloc(/^1*/.exec(text)[0].length);
  return Buffer.concat([zeros, Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex")]);
}

function decodeBase64(text, length) {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === length && bytes.toString("base64") === text) return bytes;
  throw new Unverified("The signature or its nonce is malformed.");
}

/** The prime of Curve25519. */
const P = 2n ** 255n - 19n;
/** The y of two points of order 8. The two others have its negative. */
const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/** The y of all eight points of small order. */
const SMALL_ORDER = [0n, 1n, P - 1n, Y8, P - Y8];

/**
 * Imports a public key. Signatures under keys of small order can be forged without a secret, and some
 * releases of Node accept them. Such keys are refused here, and so are non-canonical encodings.
 */
function importKey(text) {
  const bytes = decodeBase58(text.slice("ed25519:".length));
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`) % 2n ** 255n;
  if (bytes.length !== 32 || y >= P || SMALL_ORDER.includes(y)) {
    throw new Unverified("The public key is not a valid one.");
  }
  const key = { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") };
  return createPublicKey({ key, format: "jwk" });
}

/** The bytes that a wallet signs: the statement, its SHA-256, or the payload of NEP-413. */
function signedForms(statement, { nonce, recipient, callback_url }) {
  if (nonce === null) return [Buffer.from(statement), sha256(statement).digest()];
  const u32 = (number) =>
    Buffer.from(Uint8Array.of(number, number >> 8, number >> 16, number >> 24));
  const borsh = (text) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)]);
  const callback = callback_url === null ? ["\0"] : ["\x01", borsh(callback_url)];
  const head = [u32(2 ** 31 + 413), borsh(statement), decodeBase64(nonce, 32), borsh(recipient)];
  return [sha256(...head, ...callback).digest()];
}

/** @throws Unverified with the reason */
function verifyVersion(version, files) {
  const { soul_id, number, signature: by } = version;
  if (by === null) throw new Unverified("This version has no signature.");
  const digest = digestOf(version, files);
  const [, hub, signedDigest] =
    /^[^\n]+\nhub: ([\w.:[\]-]+)\n[^\n]+\ndigest: (.+)$/.exec(by.statement) ?? [];
  if (signedDigest !== digest || (version.digest ?? digest) !== digest) {
    const names = files.map(([name]) => JSON.stringify(name)).join(", ");
    throw new Unverified(
      `Title, description or files (${names}) differ: their digest is ${digest}.`,
    );
  }
  const statement = `soulhub-version/1\nhub: ${hub}\nsoul: ${soul_id} version ${number}\ndigest: ${digest}`;
  if (by.statement !== statement) throw new Unverified("The statement is for another version.");
  if (by.nonce !== null && by.recipient !== hub)
    throw new Unverified("The recipient is not the hub.");
  const key = importKey(by.public_key);
  const signature = decodeBase64(by.signature, 64);
  if (!signedForms(statement, by).some((form) => verify(null, form, key, signature))) {
    throw new Unverified("The signature is not valid.");
  }
  return { hub, digest };
}

/** Checks the types of the fields that are used, and that printed ones hold no control characters. */
function assertVersion({ soul_id, number, title, description, digest, signature: by }) {
  const isText = (value, pattern = /^/) => typeof value === "string" && pattern.test(value);
  const isTextOrNull = (value, pattern) => value === null || isText(value, pattern);
  const isId = (value) => Number.isSafeInteger(value) && value > 0;
  const isSignature = () =>
    isText(by.statement) &&
    isText(by.public_key, /^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/) &&
    isText(by.signature, /^[A-Za-z\d+/]{86}==$/) &&
    isTextOrNull(by.nonce, /^[A-Za-z\d+/]{43}=$/) &&
    isTextOrNull(by.recipient) &&
    isTextOrNull(by.callback_url) &&
    isText(by.wallet, /^[a-z\d._-]{2,64}$/) &&
    typeof by.wallet_verified === "boolean" &&
    isText(by.signed_at, /^[\d: -]{19}$/);
  const isValid =
    isId(soul_id) &&
    isId(number) &&
    isText(title) &&
    isText(description) &&
    isTextOrNull(digest) &&
    (by === null || (typeof by === "object" && isSignature()));
  if (!isValid) throw new Error("The file is not the data of GET /api/version.");
}

try {
  const options = { signature: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [folder, ...others] = positionals;
  if (!folder || others.length > 0 || !values.signature) {
    throw new Error("Usage: node verify-version.mjs <folder> --signature <file>");
  }
  const version = JSON.parse(readFileSync(values.signature, "utf8"));
  assertVersion(version ?? {});
  const { hub, digest } = verifyVersion(version, readFiles(folder));
  const { public_key, wallet, wallet_verified, signed_at } = version.signature;
  console.log(`Verified: ${folder} is version ${version.number} of soul ${version.soul_id} of ${hub}, and the key ${public_key} signed it.
  digest  ${digest}

Not proven: whose key this is, and when it signed. ${hub} recorded at ${signed_at} UTC that it was a key
of the wallet ${wallet}, ${wallet_verified ? "confirmed by NEAR then" : "not confirmed by NEAR"}. Nothing here signs that record. Ask NEAR or the
owner of the wallet for its keys, and check that ${hub} is the hub you mean.`);
} catch (error) {
  // The message may quote the file or name a file of the folder.
  console.error(error.message.replaceAll(/[\p{Cc}\p{Cf}]/gu, "?"));
  process.exitCode = error instanceof Unverified ? 1 : 2;
}
