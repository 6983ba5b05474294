import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import type { Command } from "../report.ts";

const loadOperator = () => import("@soul-hub/api/operator");

/**
 * Verifies offline that a folder holds a signed version of a soul (0036).
 * @param file the `data` of GET /api/version as JSON
 * @throws Failure `not_verified`, `unreadable_file`
 */
export const verifyVersion =
  (folder: string, file: string): Command =>
  async () => {
    const { signedVersion, verifyVersion: verify } = await loadOperator();
    const { data: version } = signedVersion.safeParse(await readJson(file));
    if (!version) {
      throw new Failure("unreadable_file", `${file} is not the data of GET /api/version.`);
    }
    const verdict = verify(version, await readFiles(folder));
    if ("problem" in verdict) throw notVerified(verdict.problem);
    const { soul_id, number } = version;
    const { hub, digest, by } = verdict;
    const { wallet, wallet_verified, public_key, signed_at } = by;
    return {
      json: {
        soul_id,
        number,
        hub,
        digest,
        public_key,
        recorded: { wallet, wallet_verified, signed_at },
      },
      lines: [
        `Verified: ${folder} is version ${number} of soul ${soul_id} of ${hub}, and the key ${public_key} signed it.
  digest  ${digest}

Not proven: whose key this is, and when it signed. ${hub} recorded at ${signed_at} UTC that it was a key
of the wallet ${wallet}, ${wallet_verified ? "confirmed by NEAR then" : "not confirmed by NEAR"}. Nothing here signs that record. Ask NEAR or the
owner of the wallet for its keys, and check that ${hub} is the hub you mean.`,
      ],
    };
  };

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch(unreadable);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads all files of a folder. A version has only files, so that anything else in it is refused. */
async function readFiles(folder: string): Promise<Record<string, Uint8Array>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable);
  const other = entries.find((entry) => !entry.isFile());
  if (other) throw notVerified(`${JSON.stringify(other.name)} is not a file.`);
  const files = entries.map(async ({ name }) => [name, await readFile(path.join(folder, name))]);
  return Object.fromEntries(await Promise.all(files).catch(unreadable));
}

/** The message may name a file of the folder, whose name may hold control characters. */
const notVerified = (message: string) =>
  new Failure("not_verified", message.replaceAll(/[\p{Cc}\p{Cf}]/gu, "?"));

function unreadable(error: Error): never {
  throw new Failure("unreadable_file", error.message);
}
