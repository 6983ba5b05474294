-- Numbers the snapshots of a soul that have no number, in the order of their ids, under the soul's
-- lock. Servers of the first release stored them (0037). The first of them is the state that was
-- present when the soul was last numbered, so it takes note and signature of that state. Returns the number of the present state.
create or replace function number_versions(of_soul bigint) returns int language plpgsql as $$
  declare
    present int;
    numbered int;
  begin
    select soul.version into present from souls as soul where soul.id = of_soul for no key update;
    update soul_versions as snapshot set
        number = present - 1 + unnumbered.place,
        note = case when unnumbered.place = 1 then soul.version_note end,
        signature = case when unnumbered.place = 1 then soul.signature end
      from souls as soul, (
        select version.id, row_number() over (order by version.id) as place
        from soul_versions as version
        where version.soul_id = of_soul and version.number is null) as unnumbered
      where snapshot.id = unnumbered.id and soul.id = of_soul;
    get diagnostics numbered = row_count;
    if numbered > 0 then
      update souls set version = version + numbered, version_note = null, signature = null
        where id = of_soul;
    end if;
    return present + numbered;
  end $$
