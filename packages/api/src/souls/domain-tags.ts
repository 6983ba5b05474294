import { sql } from "kysely";
import type { Db } from "../db/entities.ts";

/** Counts a soul in and out of its domain tag; an empty domain has no counter (decisions §2). */
export async function moveDomainTag(tx: Db, from: string, to: string): Promise<void> {
  if (from === to) return;
  // Always in the same order: two souls that swap tags at once must not wait for each other.
  const steps = [
    { domain: from, change: -1 },
    { domain: to, change: 1 },
  ].sort((a, b) => (a.domain < b.domain ? -1 : 1));
  for (const { domain, change } of steps) {
    if (domain === "") continue;
    await tx
      .insertInto("domain_tags")
      .values({ domain, uses: Math.max(change, 0) })
      .onConflict((conflict) =>
        conflict.column("domain").doUpdateSet({ uses: sql<number>`domain_tags.uses + ${change}` }),
      )
      .execute();
  }
}
