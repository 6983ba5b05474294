-- Stores a soul's present state as a version and makes the next version, under the soul's lock (0015,
-- 0037). The version takes note and signature of the state along; new_note is that of the new state.
-- A null argument leaves its column unchanged, except new_note; moves_gate says whether new_gate
-- applies, which may be null.
-- Returns the former owner, visibility and gate, and the number of the new state. Changes nothing
-- where the owner is another account.
create or replace function change_soul_noted(
    of_soul bigint, changer bigint, new_title text, new_description text, new_content text,
    new_file_type text, new_role text, new_domain text, new_compatibility text,
    new_is_public smallint, moves_gate boolean, new_gate text, new_note text,
    out user_id bigint, out is_public smallint, out nft_contract text, out version int)
  language plpgsql as $$
  declare
    former_domain text;
  begin
    select soul.user_id, soul.is_public, soul.nft_contract, soul.domain
      into user_id, is_public, nft_contract, former_domain
      from souls as soul where soul.id = of_soul for update;
    if user_id is distinct from changer then return; end if;
    version := number_versions(of_soul) + 1;
    insert into soul_versions
        (soul_id, number, note, signature, title, description, content, role, domain, compatibility,
        is_public, nft_contract, package_id)
      select soul.id, soul.version, soul.version_note, soul.signature, soul.title, soul.description,
        soul.content, soul.role, soul.domain, soul.compatibility, soul.is_public, soul.nft_contract,
        soul.package_id
      from souls as soul where soul.id = of_soul;
    -- PostgreSQL computes the search columns whenever one of these four texts is set, even to its
    -- present value. That takes as long as the rest of the change. With updated_at set here, the next
    -- statement changes no indexed column and adds nothing to the indexes.
    update souls as soul set
      title = coalesce(new_title, soul.title),
      description = coalesce(new_description, soul.description),
      role = coalesce(new_role, soul.role),
      domain = coalesce(new_domain, soul.domain),
      updated_at = hub_now()
      where soul.id = of_soul and (soul.title, soul.description, soul.role, soul.domain)
        <> (coalesce(new_title, soul.title), coalesce(new_description, soul.description),
          coalesce(new_role, soul.role), coalesce(new_domain, soul.domain));
    update souls as soul set
      version = change_soul_noted.version,
      version_note = new_note,
      signature = null,
      content = coalesce(new_content, soul.content),
      file_type = coalesce(new_file_type, soul.file_type),
      compatibility = coalesce(new_compatibility, soul.compatibility),
      -- A held soul stays private until its release (0061).
      is_public = case when exists (
          select from soul_holds as held where held.soul_id = soul.id) then soul.is_public
        else coalesce(new_is_public, soul.is_public) end,
      nft_contract = case when moves_gate then new_gate else soul.nft_contract end,
      updated_at = hub_now()
      where soul.id = of_soul;
    if new_domain <> former_domain then
      perform move_domain_tag(former_domain, new_domain);
    end if;
  end $$
