import { ownCopy, RecentMap } from "../recent-map.ts";
import type { Vault } from "../vault.ts";

/** Of each kind of hash: some 15,000 guests' cookies. */
const KEPT_CHARS = 1_000_000;

/**
 * Works a keyed hash out once for those who come again and again: it costs more than all else that
 * is to be known of them. What is refused (null) is worked out each time, and takes nobody's place.
 */
export function keptHash<Hashed>(
  work: (vault: Vault, text: string) => Hashed,
): (vault: Vault, text: string) => Hashed {
  const known = new WeakMap<Vault, RecentMap<Hashed>>();
  return (vault, text) => {
    let recent = known.get(vault);
    if (!recent) {
      recent = new RecentMap(KEPT_CHARS);
      known.set(vault, recent);
    }
    const found = recent.get(text);
    if (found !== undefined) return found;
    const own = ownCopy(text);
    const hashed = work(vault, own);
    if (hashed !== null) recent.set(own, hashed);
    return hashed;
  };
}
