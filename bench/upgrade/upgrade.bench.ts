import type { Bench } from "../runner/bench.ts";
import { upgradeEmbedded } from "./embedded.ts";
import { upgradeServers } from "./two-releases.ts";

/**
 * Does an upgrade under load lose a call or a message (0030)? The option `commit` names the earlier
 * release.
 */
export const bench: Bench = { scenarios: [upgradeServers, upgradeEmbedded] };
