-- Returns the title of a soul that callers other than its author may read: the present one while the
-- soul is public, is hidden by a hold, or is deleted. Otherwise that of its last public version (0076).
create or replace function public_title(of_soul bigint)
  returns text language plpgsql stable as $$
  declare
    soul souls%rowtype;
  begin
    select * into soul from souls where souls.id = of_soul;
    if soul.is_public = 1 or soul.deleted_at is not null
        or exists (select from soul_holds where soul_id = of_soul and was_public = 1) then
      return soul.title;
    end if;
    return coalesce((
      select version.title from soul_versions as version
        where version.soul_id = of_soul and version.is_public = 1
        order by version.id desc limit 1), '');
  end $$
