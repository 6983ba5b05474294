import { Migration } from "@mikro-orm/migrations";

/**
 * A like and an edit under the soul's lock, one call of the database each: begin, lock, statements
 * and commit, one after the other, took most of their time (docs/decisions/0015). Functions, whose
 * statements each see what was committed before them; those of one `with` would not, once they have
 * waited for the lock.
 */
export class SoulChanges extends Migration {
  override name = "0017-soul-changes";

  override up(): void {
    this.addSql(`create function toggle_like(
        of_soul bigint, liker bigint, out soul_title text, out liked boolean)
      language plpgsql as $$
      begin
        select title into soul_title from souls
          where id = of_soul and (is_public = 1 or user_id = liker) for update;
        if not found then return; end if;
        delete from likes where soul_id = of_soul and user_id = liker;
        liked := not found;
        if liked then insert into likes (soul_id, user_id) values (of_soul, liker); end if;
        update souls set like_count = like_count + case when liked then 1 else -1 end
          where id = of_soul;
      end $$`);

    // An empty domain has no counter. Always in the same order: two souls that swap tags at once
    // must not wait for each other.
    this.addSql(`create function move_domain_tag(former text, present text) returns void
      language sql as $$
        insert into domain_tags as tag (domain, uses)
          select moved.domain, moved.uses from (values (former, 0), (present, 1)) as moved (domain, uses)
          where moved.domain <> '' and former <> present
          order by moved.domain
          on conflict (domain) do update
            set uses = tag.uses + case when excluded.uses = 0 then -1 else 1 end
      $$`);

    // What is null stays as it is, but for the gate, which may become null.
    this.addSql(`create function change_soul(
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
      end $$`);
  }
}
