-- Deletes a locked soul with the rooms of rooms_to_drop (0076). While other rooms remain, so does the
-- row of the soul, without its texts, as one of the account ghost. A hold of the hub's staff stays, so
-- that nobody reads these rooms on.
create or replace function drop_soul(of_soul bigint, ghost bigint)
  returns void language plpgsql as $$
  begin
    -- No line of another person arrives between the choice of the rooms and their deletion.
    perform from chat_rooms
      where soul_id = of_soul
        and owner = (select 'account:' || user_id from souls where souls.id = of_soul)
      order by id for update;
    delete from chat_rooms where id in (select rooms_to_drop(of_soul));
    if not exists (select from chat_rooms where soul_id = of_soul) then
      delete from souls where id = of_soul;
      return;
    end if;
    update souls set user_id = ghost, title = public_title(of_soul), description = '', content = '',
        role = 'Other', domain = '', compatibility = 'any', is_public = 0, like_count = 0,
        fork_count = 0, rating_sum = 0, rating_count = 0, forked_from = null, nft_contract = null,
        version_note = null, signature = null, package_id = null, deleted_at = hub_now()
      where id = of_soul;
    delete from soul_versions where soul_id = of_soul;
    delete from soul_holds where soul_id = of_soul and kind <> 'moderation';
    delete from likes where soul_id = of_soul;
    delete from ratings where soul_id = of_soul;
  end $$
