import { createHmac, hkdfSync } from "node:crypto";
import type { MasterKey } from "../vault.ts";
import type { MasterKeyCheck } from "./archive-format.ts";

const PURPOSE = "backup-check";

/** Returns the id and the check value of each master key. A check value reveals nothing of a key. */
export const masterKeyChecks = (keys: readonly MasterKey[]): MasterKeyCheck[] =>
  keys.map(({ id, key }) => ({
    id,
    check: createHmac("sha256", Buffer.from(hkdfSync("sha256", key, "soul-hub", PURPOSE, 32)))
      .update(id)
      .digest("hex"),
  }));

/** Returns the ids of the archive's master keys that the key ring lacks. */
export function missingKeys(checks: MasterKeyCheck[], ring: readonly MasterKey[]): string[] {
  const held = new Set(masterKeyChecks(ring).map(({ check }) => check));
  return checks.filter(({ check }) => !held.has(check)).map(({ id }) => id);
}
