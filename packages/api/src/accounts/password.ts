import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { HubError } from "../errors.ts";

const hashWith = promisify(argon2);

// Decisions §3: argon2id, m=19456 KiB, t=2, p=1.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Each hash takes 19 MiB and a core: a flood of logins must not take the house down. */
const AT_ONCE = 4;
const WAITING = 64;

let running = 0;
const queue: Array<() => void> = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (queue.length >= WAITING) throw new HubError("overloaded");
    await new Promise<void>((resolve) => queue.push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    // The place is handed on rather than given back, so that nobody slips in between.
    const next = queue.shift();
    if (next) next();
    else running--;
  }
}

const derive = (password: string, nonce: Buffer): Promise<Buffer> =>
  inTurn(() =>
    hashWith("argon2id", {
      message: Buffer.from(password.normalize("NFC"), "utf8"),
      nonce,
      parallelism: LANES,
      tagLength: HASH_BYTES,
      memory: MEMORY_KIB,
      passes: PASSES,
    }),
  );

const unpadded = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

/** @returns a PHC string. @throws HubError `overloaded` */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const hash = await derive(password, nonce);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(hash)}`;
}

/** Of no password. Checked against when the user is unknown, so that the answer takes as long. */
const NOBODY = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };

/** @throws HubError `overloaded` */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const [, , , , salt, hash] = phc?.split("$") ?? [];
  const known =
    salt && hash
      ? { salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") }
      : NOBODY;
  const actual = await derive(password, known.salt);
  return timingSafeEqual(actual, known.hash) && known !== NOBODY;
}
