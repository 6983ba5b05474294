import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
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

/** What stays to be said of a soul that was there; nothing is changed where it isn't the changer's. */
interface Former {
  user_id: number;
  is_public: number;
  nft_contract: string | null;
}

/**
 * Keeps the present state as one snapshot and changes the soul (specification §3, Soul content),
 * under its lock, in one function of the database (db/migrations/0017).
 * @returns what it was before; none: there is no such soul
 */
export async function changeSoul(
  db: Db,
  { id, changer }: { id: number; changer: number },
  to: SoulChanges & { file_type?: FileType },
): Promise<Former | undefined> {
  const { rows } = await sql<Former | { user_id: null }>`
    select * from change_soul(${id}, ${changer}, ${to.title ?? null}, ${to.description ?? null},
      ${to.content ?? null}, ${to.file_type ?? null}, ${to.role ?? null}, ${to.domain ?? null},
      ${to.compatibility ?? null}, ${to.is_public ?? null}, ${to.nft_contract !== undefined},
      ${to.nft_contract ?? null})`.execute(db);
  const [former] = rows;
  return former && former.user_id !== null ? former : undefined;
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
