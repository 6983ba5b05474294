import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { blame, EnvironmentError } from "./environment-error.ts";
import { nullIfAbsent } from "./null-if-absent.ts";
import { adminToken, masterKeys } from "./secret-fields.ts";
import { writeJson } from "./write-whole.ts";

/** The key in secrets.json of a hub without key rotation: one key, with the id k1. */
const singleKey = z
  .string()
  .transform((key) => `k1:${key}`)
  .pipe(masterKeys);
const storedSecrets = z
  .object({ admin_token: adminToken })
  .and(z.union([z.object({ master_keys: masterKeys }), z.object({ master_key: singleKey })]))
  .transform((stored) => ({
    masterKeys: "master_keys" in stored ? stored.master_keys : stored.master_key,
    adminToken: stored.admin_token,
  }));
export type Secrets = z.infer<typeof storedSecrets>;

/**
 * Reads the embedded hub's secrets (decisions §8). On the first start, creates the secrets in a
 * file with mode 0600. `master_keys` has the format of MASTER_KEYS: to rotate keys, the operator
 * puts a new key first.
 * @throws EnvironmentError where the secrets are damaged, or missing beside an existing database
 */
export async function readOrMakeSecrets(directory: string): Promise<Secrets> {
  return (await readSecrets(directory)) ?? firstSecrets(directory, secretsFile(directory));
}

/**
 * Reads the embedded hub's secrets; null if the file does not exist.
 * @throws EnvironmentError where the secrets are damaged
 */
export async function readSecrets(directory: string): Promise<Secrets | null> {
  const file = secretsFile(directory);
  const reading = readFile(file, "utf8").catch(nullIfAbsent);
  const text = await blame({ DATA_DIR: file }, reading);
  return text === null ? null : parseSecrets(file, text);
}

/** The path of the file with an embedded hub's master keys and ADMIN_TOKEN. */
export const secretsFile = (directory: string): string => path.join(directory, "secrets.json");

/**
 * Parses the text of secrets.json. The error omits the parsers' messages, which quote the text:
 * damaged secrets are still secret.
 */
export function parseSecrets(file: string, text: string): Secrets {
  try {
    return storedSecrets.parse(JSON.parse(text));
  } catch {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is damaged. Put a copy of it back: without its master key the stored API keys can't be shown again.`,
    );
  }
}

/**
 * Creates secrets only if there is no database: a new master key cannot decrypt an existing one.
 */
async function firstSecrets(directory: string, file: string): Promise<Secrets> {
  const database = path.join(directory, "database");
  const files = await blame({ DATA_DIR: database }, readdir(database).catch(nullIfAbsent));
  if (files?.length) {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is missing, and without it the API keys stored in ${database} can't be shown. Put a copy of it back, or set MASTER_KEYS and ADMIN_TOKEN. To start anew with an empty hub, move ${database} away.`,
    );
  }
  const secrets = newSecrets();
  await writeJson(file, secrets);
  return storedSecrets.parse(secrets);
}

/** Returns the content of a secrets.json with a new master key and a new token. */
export const newSecrets = () => ({
  master_keys: `k1:${randomBytes(32).toString("base64")}`,
  admin_token: randomBytes(24).toString("base64url"),
});
