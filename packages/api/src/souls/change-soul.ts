import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import { moveDomainTag } from "./domain-tags.ts";
import type { FileType } from "./soul-content.ts";

export interface SoulFields {
  title: string;
  description: string;
  content: string;
  role: string;
  domain: string;
  compatibility: string;
  is_public: number;
  nft_contract: string | null;
}

export type SoulChanges = { [Field in keyof SoulFields]?: SoulFields[Field] | undefined };

/**
 * Keeps the present state as one snapshot and changes the soul (specification §3, Soul content).
 * @param soul its row, locked by this transaction
 */
export async function changeSoul(
  tx: Db,
  soul: { id: number; domain: string },
  changes: SoulChanges & { file_type?: FileType },
): Promise<void> {
  await snapshot(tx, soul.id);
  await tx
    .updateTable("souls")
    .set({ ...changes, updated_at: sql<string>`hub_now()` })
    .where("id", "=", soul.id)
    .execute();
  await moveDomainTag(tx, soul.domain, changes.domain ?? soul.domain);
}

/** Copies the present state into the history, in the database. */
async function snapshot(tx: Db, soulId: number): Promise<void> {
  await tx
    .insertInto("soul_versions")
    .columns([...snapshotColumns, "soul_id"])
    .expression((eb) =>
      eb
        .selectFrom("souls")
        .select([...snapshotColumns, "id as soul_id"])
        .where("id", "=", soulId),
    )
    .execute();
}

/** What a restored snapshot brings back, and a fork takes along; visibility is neither's (decisions §7), the gate a fork's alone. */
export const textColumns = [
  "title",
  "description",
  "content",
  "role",
  "domain",
  "compatibility",
] as const;

const snapshotColumns = [...textColumns, "is_public", "nft_contract"] as const;
