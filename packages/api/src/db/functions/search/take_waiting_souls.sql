-- Takes souls without a vector for half a minute, the newest change first (0079). No lock stays while
-- the model works. The texts are read after the locks are taken: a later change empties taken_at, and
-- its vector is then not stored. Behind a gate only the texts that everybody may read are embedded.
create or replace function take_waiting_souls(of_model text, most int, passed bigint[])
  returns table (id bigint, taken text, title text, description text, role text, domain text,
    content text) language plpgsql as $$
  declare
    locked bigint[];
  begin
    locked := array(select waiting.soul_id from soul_vectors as waiting
      where model = of_model and vector is null and soul_id <> all (passed)
        and (taken_at is null or taken_at < clock_timestamp() - interval '30 s')
        and exists (select from vector_model where vector_model.model = of_model)
      order by priority desc, soul_id desc limit most for update skip locked);
    return query with marked as (
        update soul_vectors set taken_at = clock_timestamp()
        where model = of_model and soul_id = any(locked) returning soul_id, taken_at)
      select soul.id, marked.taken_at::text, soul.title, soul.description, soul.role, soul.domain,
        case when soul.nft_contract is null then soul.content else '' end
      from marked join souls as soul on soul.id = marked.soul_id
      where public_words(soul) is not null;
  end $$
