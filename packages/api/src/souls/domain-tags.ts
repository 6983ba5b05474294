import { sql } from "kysely";
import type { Db } from "../db/entities.ts";

/** Counts a soul in and out of its domain tag; an empty domain has no counter (decisions §2). */
export async function moveDomainTag(tx: Db, from: string, to: string): Promise<void> {
  if (from !== to) await sql`select move_domain_tag(${from}, ${to})`.execute(tx);
}
