import { sql } from "kysely";
import type { Db } from "../../../db/database.ts";
import { callFunction } from "../../../db/sql-functions.ts";

/**
 * Defines the SQL function `change_soul` as the first release wrote it. It knows no numbers.
 * @param name another name, so that the function of this release stays
 */
export const defineFirstChangeSoul = (db: Db, name = "change_soul") =>
  sql
    .raw(
      `create or replace function ${name}(
    of_soul bigint, changer bigint, new_title text, new_description text, new_content text,
    new_file_type text, new_role text, new_domain text, new_compatibility text,
    new_is_public smallint, moves_gate boolean, new_gate text,
    out user_id bigint, out is_public smallint, out nft_contract text)
  language plpgsql as $$
  declare
    former_domain text;
  begin
    select soul.user_id, soul.is_public, soul.nft_contract, soul.domain
      into user_id, is_public, nft_contract, former_domain
      from souls as soul where soul.id = of_soul for update;
    if user_id is distinct from changer then return; end if;
    insert into soul_versions
        (soul_id, title, description, content, role, domain, compatibility, is_public, nft_contract)
      select soul.id, soul.title, soul.description, soul.content, soul.role, soul.domain,
        soul.compatibility, soul.is_public, soul.nft_contract
      from souls as soul where soul.id = of_soul;
    update souls as soul set
      title = coalesce(new_title, soul.title),
      description = coalesce(new_description, soul.description),
      content = coalesce(new_content, soul.content),
      file_type = coalesce(new_file_type, soul.file_type),
      role = coalesce(new_role, soul.role),
      domain = coalesce(new_domain, soul.domain),
      compatibility = coalesce(new_compatibility, soul.compatibility),
      is_public = coalesce(new_is_public, soul.is_public),
      nft_contract = case when moves_gate then new_gate else soul.nft_contract end,
      updated_at = hub_now()
      where soul.id = of_soul;
    if new_domain <> former_domain then
      perform move_domain_tag(former_domain, new_domain);
    end if;
  end $$`,
    )
    .execute(db);

/**
 * Changes the content of a soul with the arguments of the first release, for the soul's owner.
 * @param name the function to call
 */
export async function changeAsFirstRelease(
  db: Db,
  soul: { id: number; content: string },
  name = "change_soul",
): Promise<void> {
  const { user_id } = await db
    .selectFrom("souls")
    .select("user_id")
    .where("id", "=", soul.id)
    .executeTakeFirstOrThrow();
  const [before] = await callFunction<{ user_id: number | null }>(db, name, {
    of_soul: soul.id,
    changer: user_id,
    new_title: undefined,
    new_description: undefined,
    new_content: soul.content,
    new_file_type: "single_md",
    new_role: undefined,
    new_domain: undefined,
    new_compatibility: undefined,
    new_is_public: undefined,
    moves_gate: false,
    new_gate: undefined,
  });
  if (before?.user_id !== user_id) throw new Error(`The soul ${soul.id} was not changed.`);
}
