-- Counts a soul out of one domain tag and into another. An empty domain has no counter. The order is
-- fixed: two souls that swap tags at once must not deadlock.
create or replace function move_domain_tag(former text, present text) returns void
  language sql as $$
    insert into domain_tags as tag (domain, uses)
      select moved.domain, moved.uses from (values (former, 0), (present, 1)) as moved (domain, uses)
      where moved.domain <> '' and former <> present
      order by moved.domain
      on conflict (domain) do update
        set uses = tag.uses + case when excluded.uses = 0 then -1 else 1 end
  $$
