import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { createSemaphore } from "../../semaphore.ts";

declare module "../../context.ts" {
  interface Hub {
    passwords: PasswordHashing;
  }
}

const deriveKey = promisify(argon2);

/** The memory and the passes of argon2id for one password. */
export interface PasswordCost {
  memoryKib: number;
  passes: number;
}

/** The cost of every hub (decisions §3, Passwords). Test hubs have a lower one. */
const PASSWORD_COST: PasswordCost = { memoryKib: 19_456, passes: 2 };

const LANES = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/**
 * Limits of running and waiting password hashes. A hash takes 19 MiB and one core, so that a flood
 * of logins could exhaust the server.
 */
const MAX_RUNNING = 4;
const MAX_WAITING = 64;

/**
 * For an unknown account, the password is compared with this hash. The comparison takes as long as
 * with a stored hash.
 */
const DUMMY_HASH = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };

export interface PasswordHashing {
  /**
   * Hashes a password in NFC with argon2id and a random salt (decisions §3).
   * @returns a PHC string
   * @throws HubError `overloaded` if the queue is full
   */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with a stored hash in constant time.
   * @param phc PHC string; null is compared with a dummy hash and never matches
   * @throws HubError `overloaded` if the queue is full
   */
  verify(password: string, phc: string | null): Promise<boolean>;
}

const toBase64NoPad = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

export function createPasswordHashing({
  memoryKib,
  passes,
}: PasswordCost = PASSWORD_COST): PasswordHashing {
  const slots = createSemaphore(MAX_RUNNING, MAX_WAITING);
  const derive = (password: string, nonce: Buffer): Promise<Buffer> =>
    slots.run(() =>
      deriveKey("argon2id", {
        message: Buffer.from(password.normalize("NFC"), "utf8"),
        nonce,
        parallelism: LANES,
        tagLength: HASH_BYTES,
        memory: memoryKib,
        passes,
      }),
    );
  return {
    async hash(password) {
      const nonce = randomBytes(SALT_BYTES);
      const [salt, hash] = [nonce, await derive(password, nonce)].map(toBase64NoPad);
      return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${salt}$${hash}`;
    },
    async verify(password, phc) {
      const [, , , , salt, hash] = phc?.split("$") ?? [];
      const stored =
        salt && hash
          ? { salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") }
          : DUMMY_HASH;
      const actual = await derive(password, stored.salt);
      return timingSafeEqual(actual, stored.hash) && stored !== DUMMY_HASH;
    },
  };
}
