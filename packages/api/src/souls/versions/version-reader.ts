import { type RawBuilder, sql } from "kysely";
import { mayRead } from "../../caller/own-data.ts";
import type { CallContext } from "../../context.ts";
import { isOwner } from "../soul-access.ts";

/**
 * The reader of a soul's versions. `gate` is the soul's current NFT contract. `passes` is true if
 * the caller may use the soul.
 */
export type VersionReader = "owner" | { gate: string | null; passes: boolean };

export const readerOf = (
  ctx: Pick<CallContext, "caller">,
  soul: { user_id: number; nft_contract: string | null },
  passes: boolean,
): VersionReader =>
  isOwner(ctx, soul) && mayRead(ctx.caller, "souls")
    ? "owner"
    : { gate: soul.nft_contract, passes };

/**
 * Returns the SQL condition for snapshots whose content the reader may not see. Callers who pass
 * the current gate see snapshots that had this gate or none (0014).
 */
export function hasHiddenContent(reader: VersionReader): RawBuilder<boolean> {
  if (reader === "owner") return sql.lit(false);
  if (!reader.passes) return sql.lit(true);
  return sql`(nft_contract is not null and nft_contract is distinct from ${reader.gate}::text)`;
}
