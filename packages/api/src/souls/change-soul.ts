import type { z } from "zod";
import type { Db } from "../db/database.ts";
import { callFunction } from "../db/sql-functions.ts";
import type { FileType } from "./soul-content.ts";
import type { soulFields } from "./souls.schema.ts";

/** The fields of a soul that its owner sets, as an endpoint has validated them. */
export type SoulFields = z.infer<z.ZodObject<typeof soulFields>>;

export type SoulChanges = { [Field in keyof SoulFields]?: SoulFields[Field] | undefined };

/** A soul before a change. If `user_id` is not the changer's, the soul was not changed. */
interface StateBefore {
  user_id: number;
  is_public: number;
  nft_contract: string | null;
  /** The number of the new state. */
  version: number;
}

/**
 * Changes a soul and stores its previous state as a snapshot (specification §3). One SQL function
 * does both under the lock of the soul's row (db/functions/souls/change_soul_noted.sql).
 * @param to the new values, and the note of the new state
 * @returns the previous state; undefined if the soul does not exist
 */
export async function changeSoul(
  db: Db,
  { id, changer }: { id: number; changer: number },
  to: SoulChanges & { file_type?: FileType; note: string | null },
): Promise<StateBefore | undefined> {
  const [before] = await callFunction<StateBefore | { user_id: null }>(db, "change_soul_noted", {
    of_soul: id,
    changer,
    new_title: to.title,
    new_description: to.description,
    new_content: to.content,
    new_file_type: to.file_type,
    new_role: to.role,
    new_domain: to.domain,
    new_compatibility: to.compatibility,
    new_is_public: to.is_public,
    moves_gate: to.nft_contract !== undefined,
    new_gate: to.nft_contract,
    new_note: to.note,
  });
  return before && before.user_id !== null ? before : undefined;
}

/** The columns that a restore and a fork copy (decisions §7). Visibility is not among them. */
export const textColumns = [
  "title",
  "description",
  "content",
  "role",
  "domain",
  "compatibility",
] as const;
